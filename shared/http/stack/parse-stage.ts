import type * as z from 'zod/mini';
import type { Operation } from '../operation.ts';
import { Problem } from '../problem.ts';
import type { Frame, StackEvent } from './frame.ts';
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

/** 400 for headers, query or body that are not what the declaration says, naming each path. */
export function requestStage({ request: { headers, query, body } }: Operation): Stage {
  return {
    before: ({ event }) => {
      const { frame } = event;
      if (headers !== undefined) frame.headers = { ...frame.headers, ...parseHeaders(headers, frame) };
      if (query !== undefined) frame.query = parseAs(query, singleValues(event, query), 'query');
      if (body !== undefined) frame.body = parseAs(body, frame.body, 'body');
    },
  };
}

const parseHeaders = (schema: z.ZodMiniObject, frame: Frame) =>
  parseAs(schema, frame.headers, 'header') as Record<string, string | undefined>;

/** Unknown query names are ignored; a known one may stand only once. */
function singleValues(event: StackEvent, schema: z.ZodMiniObject): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const given = event.multiValueQueryStringParameters?.[name] ?? [];
    if (given.length > 1) throw new Problem(400, `query.${name}: must stand only once.`);
    if (given[0] !== undefined) values[name] = given[0];
  }
  return values;
}

/** @throws Problem 400 naming each fault with its path below `root` */
export function parseAs<T>(schema: z.ZodMiniType<T>, value: unknown, root: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Problem(400, describeIssues(parsed.error.issues, root));
}

/** A sentence per fault with its path, for example `body.dos[3].label: must be 1 to 200 characters`. */
export function describeIssues(issues: readonly z.core.$ZodIssue[], root: string): string {
  const named = issues.slice(0, ISSUES_NAMED_MAX).map((issue) => `${pathOf(root, issue.path)}: ${sentence(issue)}`);
  const more = issues.length > ISSUES_NAMED_MAX ? [`and ${issues.length - ISSUES_NAMED_MAX} more`] : [];
  return `${[...named, ...more].join('; ')}.`;
}

function pathOf(root: string, path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return `${root}${steps.join('')}`.slice(0, PATH_CHARACTERS_MAX);
}

/** Zod's English texts begin with what they found («Invalid input: expected string, received number»). */
function sentence(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys')
    return `has unknown properties: ${issue.keys.join(', ')}`.slice(0, PATH_CHARACTERS_MAX);
  if (issue.code === 'invalid_type' && issue.input === undefined && /received undefined/.test(issue.message))
    return 'is required';
  return issue.message.replace(/^Invalid (?:input|option): /, '').replace(/\.$/, '');
}
