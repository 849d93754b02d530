import type * as z from 'zod/mini';
import { HttpError } from '../errors.ts';
import { findIntendedName } from '../misspellings.ts';
import type { Operation } from '../operation.ts';
import type { Middleware, MiddlewareEvent } from './middleware.ts';
import { parseOrBadRequest } from './request-validation.ts';

/** Responds with 400 to a query that doesn't match the declaration. */
export function validateQuery({ request: { query } }: Operation): Middleware {
  return {
    before: ({ event }) => {
      if (query !== undefined) event.requestState.query = parseOrBadRequest(query, singleValues(event, query), 'query');
    },
  };
}

/**
 * Returns the values of the declared parameters. Rejects repeated parameters. Rejects misspelled parameters, because
 * the client would get unfiltered results if a misspelled filter was ignored. Ignores all other unknown parameters.
 */
function singleValues(event: MiddlewareEvent, schema: z.ZodMiniObject): Record<string, string> {
  const given = event.multiValueQueryStringParameters ?? {};
  const known = Object.keys(schema.shape);
  const values: Record<string, string> = {};
  for (const name of known) {
    const [value, ...others] = given[name] ?? [];
    if (others.length > 0) throw new HttpError(400, `query.${name} must not be repeated.`);
    if (value !== undefined) values[name] = value;
  }
  for (const name of Object.keys(given)) {
    const intended = findIntendedName(name, known);
    if (intended !== undefined) {
      throw new HttpError(400, `query.${name} is not a parameter of this operation. Use ${intended}.`);
    }
  }
  return values;
}
