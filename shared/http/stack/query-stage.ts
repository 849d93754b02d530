import type * as z from 'zod/mini';
import type { Operation } from '../operation.ts';
import { Problem } from '../problem.ts';
import { nameMeant } from '../spelling.ts';
import type { StackEvent } from './frame.ts';
import { parseAs } from './parse-stage.ts';
import type { Stage } from './stage.ts';

/** 400 for a query that is not what the declaration of an organization route says. */
export function queryStage({ request: { query } }: Operation): Stage {
  return {
    before: ({ event }) => {
      if (query !== undefined) event.frame.query = parseAs(query, singleValues(event, query), 'query');
    },
  };
}

/**
 * A known query name must not be repeated. Unknown names are ignored, except a known one in another spelling: the caller
 * would take unfiltered numbers for filtered ones.
 */
function singleValues(event: StackEvent, schema: z.ZodMiniObject): Record<string, string> {
  const given = event.multiValueQueryStringParameters ?? {};
  const known = Object.keys(schema.shape);
  const values: Record<string, string> = {};
  for (const name of known) {
    const [value, ...others] = given[name] ?? [];
    if (others.length > 0) throw new Problem(400, `query.${name} must not be repeated.`);
    if (value !== undefined) values[name] = value;
  }
  refuseSpelling(Object.keys(given), known);
  return values;
}

function refuseSpelling(given: readonly string[], known: readonly string[]): void {
  for (const name of given) {
    const meant = nameMeant(name, known);
    if (meant !== undefined)
      throw new Problem(400, `query.${name} is not a parameter of this operation. Use ${meant}.`);
  }
}
