import { UNPUBLISH_GRACE_MS } from '../../../shared/funnels/active-funnel.ts';
import { formatList, formatMinute } from '../terminal/format.ts';
import type { DefinitionDiff } from './definition/diff-definitions.ts';
import type { PublicationState } from './funnel-admin.ts';

/** Describes a publication state, for example `published` or `closing until 2026-03-01 12:00`. */
export function describeState(state: PublicationState, nowMs: number): string {
  const { publishedVersionId, unpublishedAt, archivedAt } = state;
  if (archivedAt !== null) return 'archived';
  if (publishedVersionId === null) return 'not yet published';
  if (unpublishedAt === null) return 'published';
  const endsMs = Date.parse(unpublishedAt) + UNPUBLISH_GRACE_MS;
  return nowMs < endsMs ? `closing until ${formatMinute(new Date(endsMs).toISOString())}` : 'unpublished';
}

const yesNo = (is: boolean): string => (is ? 'yes' : 'no');

/** Describes the changes of a publication: one line per field, and one line for all other parts. */
export function describeDiff({ added, removed, changed, parts }: DefinitionDiff): string[] {
  const kind = ({ id, type, required }: DefinitionDiff['added'][number]) =>
    `${id}: ${type}${required ? ', required' : ''}`;
  const change = ({ type, required, others }: DefinitionDiff['changed'][number]) => [
    ...(type ? [`type ${type.join(' → ')}`] : []),
    ...(required ? [`required ${required.map(yesNo).join(' → ')}`] : []),
    ...others,
  ];
  return [
    ...added.map((field) => `  + ${kind(field)}`),
    ...removed.map((field) => `  - ${kind(field)}`),
    ...changed.map((field) => `  ~ ${field.id}: ${change(field).join(', ')}`),
    ...(parts.length > 0 ? [`  other parts: ${parts.join(', ')}`] : []),
  ];
}

/** Describes, as clauses, the changes that an operator must confirm. Returns undefined if there are none. */
export function describeRisks({ removed, changed, removedLimits }: DefinitionDiff): string | undefined {
  const ids = (fields: { id: string }[]) => formatList(fields.map(({ id }) => id));
  const retyped = changed.filter(({ type }) => type !== undefined);
  const parts = [
    ...(removed.length > 0 ? [`${ids(removed)} will no longer be validated`] : []),
    ...(retyped.length > 0 ? [`${ids(retyped)} will be validated as another type`] : []),
    ...(removedLimits.length > 0
      ? [`the default will replace ${formatList(removedLimits.map((name) => `limits.${name}`))}`]
      : []),
  ];
  return parts.length > 0 ? parts.join('; ') : undefined;
}
