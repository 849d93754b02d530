import type * as z from 'zod/mini';
import { HttpError } from '../errors.ts';
import { memberNames, warnAboutMisspellings } from '../misspellings.ts';
import type { Operation } from '../operation.ts';
import type { Middleware } from './middleware.ts';
import type { RequestContext } from './request-context.ts';
import '../../platform/zod-english-messages.ts';

const ISSUES_NAMED_MAX = 5;
const PATH_CHARACTERS_MAX = 200;

/** 400 for a path parameter that is not what the declaration says. */
export function validatePath(declared: Operation): Middleware {
  return {
    before: ({ event }) => {
      event.context.path = parseOrBadRequest(declared.request.path, event.pathParameters ?? {}, 'path');
    },
  };
}

/**
 * 400 for headers or body that are not what the declaration says, naming each path. A public route loses no lead
 * over the spelling of a name: it warns.
 */
export function validateRequest({ auth, request: { headers, body } }: Operation): Middleware {
  const members = auth === 'public' && body !== undefined && 'shape' in body ? Object.keys(Object(body.shape)) : [];
  return {
    before: ({ event }) => {
      const { context: frame } = event;
      if (headers !== undefined) frame.headers = { ...frame.headers, ...parseHeaders(headers, frame) };
      if (members.length > 0) warnAboutMisspellings(frame.warnings, memberNames(frame.body), members, 'body');
      if (body !== undefined) frame.body = parseOrBadRequest(body, frame.body, 'body');
    },
  };
}

const parseHeaders = (schema: z.ZodMiniObject, frame: RequestContext) =>
  parseOrBadRequest(schema, frame.headers, 'header') as Record<string, string | undefined>;

/** @throws Problem 400 naming each fault with its path below `root` */
export function parseOrBadRequest<T>(schema: z.ZodMiniType<T>, value: unknown, root: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new HttpError(400, formatIssues(parsed.error.issues, root));
}

/** A sentence per issue with its path, for example `body.dos[3].label must have 1 to 200 characters.` */
export function formatIssues(issues: readonly z.core.$ZodIssue[], root: string): string {
  const named = issues.slice(0, ISSUES_NAMED_MAX).map((issue) => `${pathOf(root, issue.path)} ${predicate(issue)}.`);
  const more = issues.length - ISSUES_NAMED_MAX;
  return named.join(' ') + (more > 0 ? ` More errors: ${more}.` : '');
}

function pathOf(root: string, path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return `${root}${steps.join('')}`.slice(0, PATH_CHARACTERS_MAX);
}

/** Rewrites zod's English texts, for example `Invalid input: expected string, received number`, to what a path must be. */
const predicate = ({ message }: z.core.$ZodIssue): string =>
  message.endsWith('received undefined')
    ? 'is required'
    : message
        .replace(/^Invalid (?:\w+: expected )?/, 'must be ')
        .replace(/^Too \w+: expected \w+ to/, 'must')
        .replace(', received', ', not')
        .replace('<=', 'at most ')
        .replace('>=', 'at least ');
