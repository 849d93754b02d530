import type * as z from 'zod/mini';
import type { Operation } from '../operation.ts';
import { Problem } from '../problem.ts';
import { memberNames, warnOfSpelling } from '../spelling.ts';
import type { Frame } from './frame.ts';
import type { Stage } from './stage.ts';
import '../../platform/faults-in-english.ts';

const ISSUES_NAMED_MAX = 5;
const PATH_CHARACTERS_MAX = 200;

/** 400 for a path parameter that is not what the declaration says. */
export function pathStage(declared: Operation): Stage {
  return {
    before: ({ event }) => {
      event.frame.path = parseAs(declared.request.path, event.pathParameters ?? {}, 'path');
    },
  };
}

/**
 * 400 for headers or body that are not what the declaration says, naming each path. A public route loses no lead
 * over the spelling of a name: it warns.
 */
export function requestStage({ auth, request: { headers, body } }: Operation): Stage {
  const members = auth === 'public' && body !== undefined && 'shape' in body ? Object.keys(Object(body.shape)) : [];
  return {
    before: ({ event }) => {
      const { frame } = event;
      if (headers !== undefined) frame.headers = { ...frame.headers, ...parseHeaders(headers, frame) };
      if (members.length > 0) warnOfSpelling(frame.warnings, memberNames(frame.body), members, 'body');
      if (body !== undefined) frame.body = parseAs(body, frame.body, 'body');
    },
  };
}

const parseHeaders = (schema: z.ZodMiniObject, frame: Frame) =>
  parseAs(schema, frame.headers, 'header') as Record<string, string | undefined>;

/** @throws Problem 400 naming each fault with its path below `root` */
export function parseAs<T>(schema: z.ZodMiniType<T>, value: unknown, root: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Problem(400, describeIssues(parsed.error.issues, root));
}

/** A sentence per issue with its path, for example `body.dos[3].label must have 1 to 200 characters.` */
export function describeIssues(issues: readonly z.core.$ZodIssue[], root: string): string {
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
