import type * as z from 'zod/mini';
import { HttpError } from '../errors.ts';
import { propertyNames, warnAboutMisspellings } from '../misspellings.ts';
import type { Operation } from '../operation.ts';
import type { Middleware, RequestState } from './middleware.ts';
import '../../platform/zod-english-messages.ts';

const ISSUES_LISTED_MAX = 5;
const PATH_CHARACTERS_MAX = 200;

/** Responds with 400 to path parameters that don't match the declaration. */
export function validatePath(operation: Operation): Middleware {
  return {
    before: ({ event }) => {
      event.requestState.path = parseOrBadRequest(operation.request.path, event.pathParameters ?? {}, 'path');
    },
  };
}

/**
 * Responds with 400 to headers or a body that don't match the declaration. On public routes, a misspelled name of a
 * top-level property is no error by itself, so that no lead is lost. The property is ignored with a warning.
 */
export function validateHeadersAndBody({ auth, request: { headers, body } }: Operation): Middleware {
  const bodyNames = auth === 'public' && body !== undefined && 'shape' in body ? Object.keys(Object(body.shape)) : [];
  return {
    before: ({ event }) => {
      const { requestState } = event;
      if (headers !== undefined)
        requestState.headers = { ...requestState.headers, ...parseHeaders(headers, requestState) };
      if (bodyNames.length > 0)
        warnAboutMisspellings(requestState.warnings, propertyNames(requestState.body), bodyNames, 'body');
      if (body !== undefined) requestState.body = parseOrBadRequest(body, requestState.body, 'body');
    },
  };
}

const parseHeaders = (schema: z.ZodMiniObject, requestState: RequestState) =>
  parseOrBadRequest(schema, requestState.headers, 'header') as Record<string, string | undefined>;

/** @throws HttpError 400 that names up to five issues with their paths, which start with `root` */
export function parseOrBadRequest<T>(schema: z.ZodMiniType<T>, value: unknown, root: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new HttpError(400, formatIssues(parsed.error.issues, root));
}

/** Returns a sentence for each of the first five issues: `body.dos[3].label must have 1 to 200 characters.` */
export function formatIssues(issues: readonly z.core.$ZodIssue[], root: string): string {
  const listed = issues
    .slice(0, ISSUES_LISTED_MAX)
    .map((issue) => `${formatPath(root, issue.path)} ${predicate(issue)}.`);
  const more = issues.length - ISSUES_LISTED_MAX;
  return listed.join(' ') + (more > 0 ? ` More errors: ${more}.` : '');
}

function formatPath(root: string, path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return `${root}${steps.join('')}`.slice(0, PATH_CHARACTERS_MAX);
}

/** Turns `Invalid input: expected string, received number` into `must be string, not number`. */
const predicate = ({ message }: z.core.$ZodIssue): string =>
  message.endsWith('received undefined')
    ? 'is required'
    : message
        .replace(/^Invalid (?:\w+: expected )?/, 'must be ')
        .replace(/^Too \w+: expected \w+ to/, 'must')
        .replace(', received', ', not')
        .replace('<=', 'at most ')
        .replace('>=', 'at least ');
