import { UNPUBLISH_GRACE_MS } from '../../../shared/funnels/active-funnel.ts';
import { formatMinute } from '../leads/format.ts';
import { printableLine } from '../terminal/printable.ts';
import type { DefinitionDiff } from './definition/diff-definitions.ts';
import type { PublicationState } from './funnel-admin.ts';

/** How a funnel stands, in few words. */
export function stateText({ publishedVersionId, unpublishedAt, archivedAt }: PublicationState, nowMs: number): string {
  if (archivedAt !== null) return 'archived';
  if (publishedVersionId === null) return 'not yet published';
  if (unpublishedAt === null) return 'published';
  const endsMs = Date.parse(unpublishedAt) + UNPUBLISH_GRACE_MS;
  return nowMs < endsMs ? `closing until ${formatMinute(new Date(endsMs).toISOString())}` : 'unpublished';
}

const yesNo = (is: boolean): string => (is ? 'yes' : 'no');

/** What a publication changes, line by line. */
export function changesText({ added, removed, changed, parts }: DefinitionDiff): string {
  const kind = (field: DefinitionDiff['added'][number]) =>
    `${printableLine(field.id)}: ${field.type}${field.required ? ', required' : ''}`;
  const lines = [
    ...added.map((field) => `  + ${kind(field)}`),
    ...removed.map((field) => `  - ${kind(field)}`),
    ...changed.map((change) => `  ~ ${printableLine(change.id)}: ${changeText(change)}`),
    ...(parts.length > 0 ? [`  other parts: ${parts.join(', ')}`] : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function changeText({ type, required, others }: DefinitionDiff['changed'][number]): string {
  return [
    ...(type ? [`type ${type.join(' → ')}`] : []),
    ...(required ? [`required ${required.map(yesNo).join(' → ')}`] : []),
    ...others,
  ].join(', ');
}

/** What can hurt pages in the field, as the end of a question; undefined: nothing can. */
export function hurtText({ removed, changed, losesLimits }: DefinitionDiff): string | undefined {
  const ids = (fields: { id: string }[]) => new Intl.ListFormat('en').format(fields.map(({ id }) => printableLine(id)));
  const retyped = changed.filter(({ type }) => type !== undefined);
  const parts = [
    ...(removed.length > 0 ? [`${ids(removed)} will not be checked any more`] : []),
    ...(retyped.length > 0 ? [`${ids(retyped)} will be checked as another type`] : []),
    ...(losesLimits ? ["the funnel's own limits go, as the file names none"] : []),
  ];
  return parts.length > 0 ? parts.join('; ') : undefined;
}
