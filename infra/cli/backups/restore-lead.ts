import { parseLeadKey } from '../../../shared/leads/aws/lead-item.ts';
import { outboxOfCreationOrVerification } from '../../../shared/leads/aws/outbox-attributes.ts';
import type { Attributes } from './dynamo-restore-tables.ts';

/**
 * Marks a restored lead as changed, so that webhook endpoints get its state. Gives it a sequence number above those of
 * all earlier changes, even of changes that are not in the backup (ADR 0028). A tombstone or a lead being erased gets
 * the number, but no mark. In a lead, renames `expiresAt`, which earlier releases wrote, to `retainedUntil`.
 */
export function restoreLead(item: Attributes, nowMs: number): Attributes {
  const seq = { N: `${Math.max(nowMs, Number(item.seq?.N ?? 0) + 1)}` };
  if (item.firstSubmittedAt === undefined) return { ...item, seq };
  const { expiresAt, retainedUntil = expiresAt, ...others } = item;
  const lead = { ...others, seq, ...(retainedUntil && { retainedUntil }) };
  // An erasure begins by removing the token hash, so a lead without a token hash is being erased.
  if (item.tokenHash === undefined) return lead;
  const { dueShard, dueAt, dispatchBy } = outboxOfCreationOrVerification(parseLeadKey({ pk: item.pk?.S ?? '' }), nowMs);
  const at = { S: dueAt };
  return { ...lead, changedAt: at, dueShard: { S: dueShard }, dueAt: at, dispatchBy: { S: dispatchBy } };
}
