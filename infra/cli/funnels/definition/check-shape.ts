import type { Node } from 'jsonc-parser';
import * as z from 'zod/mini';
import { once } from '../../../../shared/platform/once.ts';
import { type Path, quoteShortened } from '../../json-document/issues.ts';
import { type IssueAtOffset, type Locate, listProperties, walkValues } from '../../json-document/locate.ts';
import { memberAt, valueAt } from '../../json-document/untyped-access.ts';
import { formatCount } from '../../terminal/format.ts';
import { FunnelDefinition, funnelDefinitionSchema } from './funnel-definition.ts';
import '../../../../shared/platform/zod-english-messages.ts';

type Json = { tree: Node; value: unknown };

/** Reports the parts of the file that violate the schema or cannot be stored. */
export function checkShape({ tree, value }: Json, locate: Locate): IssueAtOffset[] {
  const { error } = FunnelDefinition.safeParse(value);
  const issues = (error?.issues ?? []).filter(
    (issue) => !isLimitOfNumbers(issue) && issue.code !== 'unrecognized_keys',
  );
  return [
    ...issues.map((issue) => ofIssue(issue, valueAt(value, issue.path), locate)),
    ...[...walkValues(tree)].flatMap(({ at, node }) => [...nameFindings(at, node), ...unstorable(at, node)]),
  ];
}

type Issue = z.core.$ZodIssue;

/**
 * Whether the issue is about zod's own maximum of whole numbers. Such an issue is redundant, because zod also reports
 * that the number exceeds the maximum of the schema.
 */
const isLimitOfNumbers = (issue: Issue): boolean =>
  issue.code === 'too_big' && issue.maximum === Number.MAX_SAFE_INTEGER;

function ofIssue(issue: Issue, found: unknown, locate: Locate): IssueAtOffset {
  const at = issue.path;
  const offset = locate(at);
  if (found === undefined) return { at, offset, message: 'This property is required' };
  if (issue.code !== 'invalid_value') return { at, offset, message: sentence(issue) };
  const known = issue.values.map(String);
  const unknown = typeof found === 'string' ? { unknown: { word: found, known } } : {};
  return { at, offset, message: `Must be one of ${known.join(', ')}`, ...unknown };
}

const KINDS: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list in [ ]',
  object: 'an object in { }',
  record: 'an object in { }',
};

function sentence(issue: Issue): string {
  if (issue.code === 'invalid_type') return `Must be ${KINDS[issue.expected] ?? issue.expected}`;
  if (issue.code === 'too_small') return bound(issue.origin, 'least', issue.minimum);
  if (issue.code === 'too_big') return bound(issue.origin, 'most', issue.maximum);
  return `${issue.message.charAt(0).toUpperCase()}${issue.message.slice(1)}`;
}

const UNITS: Record<string, string> = { array: 'element', string: 'character' };

function bound(origin: string, which: 'least' | 'most', limit: number | bigint): string {
  const unit = UNITS[origin];
  if (unit === undefined) return `Must be at ${which} ${limit.toLocaleString('en')}`;
  return `Must have at ${which} ${formatCount(Number(limit), unit)}`;
}

/** Reports unknown and repeated property names of an object. */
function nameFindings(at: Path, node: Node): IssueAtOffset[] {
  if (node.type !== 'object') return [];
  const known = knownNames(at);
  const seen = new Set<string>();
  return listProperties(node).flatMap(({ name, at: offset }): IssueAtOffset[] => {
    const place = { at: [...at, name], offset };
    if (seen.has(name)) return [{ ...place, message: `${quoteShortened(name)} occurs more than once` }];
    seen.add(name);
    if (known === undefined || known.includes(name)) return [];
    return [
      { ...place, message: `${quoteShortened(name)} is not a known property here`, unknown: { word: name, known } },
    ];
  });
}

type Shape = { properties?: Record<string, Shape>; items?: Shape; additionalProperties?: boolean | Shape };
const Shape: z.ZodMiniType<Shape> = z.lazy(() =>
  z.object({
    properties: z.exactOptional(z.record(z.string(), Shape)),
    items: z.exactOptional(Shape),
    additionalProperties: z.exactOptional(z.union([z.boolean(), Shape])),
  }),
);
const schema = once(() => Shape.parse(funnelDefinitionSchema()));

/** Returns the property names that the schema declares at a path; undefined if it declares none. */
function knownNames(at: Path): string[] | undefined {
  let shape: Shape | undefined = schema();
  for (const part of at) {
    const others: Shape['additionalProperties'] = shape?.additionalProperties;
    const named: Shape | undefined = typeof part === 'number' ? shape?.items : memberAt(shape?.properties, part);
    shape = named ?? (typeof others === 'object' ? others : undefined);
  }
  return shape?.properties && Object.keys(shape.properties);
}

/** Reports texts that DynamoDB would change, or that no page could send. */
function unstorable(at: Path, { type, value, offset }: Node): IssueAtOffset[] {
  if (type !== 'string' || typeof value !== 'string') return [];
  if (value.includes('\0')) return [{ at, offset, message: 'Must not contain the character NUL' }];
  return value.isWellFormed() ? [] : [{ at, offset, message: 'Must not contain half of a surrogate pair' }];
}
