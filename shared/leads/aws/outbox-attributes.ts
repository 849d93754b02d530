import { formatDueAt } from '../../platform/due-index.ts';
import { shardOfLead } from '../index-shards.ts';
import type { LeadKey } from '../lead.ts';

/**
 * Updates are dispatched when the lead has not changed for this time, so that the steps of a visit usually cause only
 * one message.
 */
const QUIET_MS = 60_000;
/** Maximum time from the first pending update of a lead until its dispatch. */
const PENDING_MS_MAX = 600_000;

/** Returns the key of a shard in the index `due`. */
export const outboxShardName = (shard: number): string => `outbox#${shard}`;

const dueShardOf = ({ leadId }: LeadKey): string => outboxShardName(shardOfLead(leadId));

/**
 * Attributes of a submit that changes a lead. Those in `initial` are stored only if the lead is not in the outbox yet.
 * After a valid submit of the last step, the lead is due at once, because the submit may complete the lead. If only
 * updates are pending then, the dispatcher postpones the lead to `dispatchAtMs`.
 */
export function outboxOfSubmit(key: LeadKey, atMs: number, isValidLastStep: boolean) {
  const dueShard = dueShardOf(key);
  const dispatchBy = formatDueAt(atMs + PENDING_MS_MAX);
  return isValidLastStep
    ? { set: { dueShard, dueAt: formatDueAt(atMs) }, initial: { dispatchBy } }
    : { set: { dueShard }, initial: { dueAt: formatDueAt(atMs + QUIET_MS), dispatchBy } };
}

type PendingItem = { dispatchBy?: unknown; completedAt?: unknown };

/**
 * Returns when the pending changes of an item are dispatched, in epoch milliseconds: immediately if a creation,
 * verification or completion is pending. Otherwise `QUIET_MS` after the last update, but at the latest `PENDING_MS_MAX`
 * after the first pending update.
 *
 * `dispatchBy` shows whether a creation or verification is pending:
 *
 * | pending | `dispatchBy` |
 * |---|---|
 * | a creation or verification | its time, usually not after `changedAt` (exception: see `hasOnlyUpdatesPending`) |
 * | only updates, perhaps with a completion | `PENDING_MS_MAX` after the first pending update |
 *
 * A completion is pending if it came with the first pending update or later.
 *
 * Example: a lead is created at 9:00, which sets `dispatchBy` to 9:00, and updated at 9:01. `dispatchBy` is before the
 * last change, so the changes are dispatched immediately.
 *
 * Example: a lead is updated at 10:05, which sets `dispatchBy` to 10:15, and completed at 10:08. The first pending
 * update was at 10:05, so the completion is pending, and the changes are dispatched immediately.
 *
 * Example: a lead is completed at 10:00 and dispatched at once. At 10:05, its visitor sends the last step again, which
 * sets `dispatchBy` to 10:15. The first pending update was at 10:05, so the completion is not pending, and the changes
 * are dispatched at 10:06.
 */
export function dispatchAtMs({ dispatchBy, completedAt }: PendingItem, changedAt: string): number {
  const changedMs = Date.parse(changedAt);
  // A lead that is not in the outbox has no `dispatchBy`.
  if (dispatchBy === undefined) return changedMs;
  const latestMs = Date.parse(String(dispatchBy));
  // A creation or verification is pending, or updates have been pending for `PENDING_MS_MAX`.
  if (latestMs <= changedMs) return latestMs;
  const firstUpdateMs = latestMs - PENDING_MS_MAX;
  const completedMs = completedAt === undefined ? -Infinity : Date.parse(String(completedAt));
  return completedMs >= firstUpdateMs ? completedMs : Math.min(changedMs + QUIET_MS, latestMs);
}

/**
 * Returns true only if no creation, verification or completion can be pending. Also returns false in some cases in which
 * only updates are pending: for a completed lead; until its next dispatch, for a lead that was restored from a backup;
 * and if the last update came `PENDING_MS_MAX` or more after the first pending update.
 *
 * `dispatchAtMs` is not enough, because concurrent changes can be stored in another order than that of their times.
 * Example: a verification of 9:02 is stored, and then an update of 9:01. `dispatchBy` is 9:02, which is later than
 * `changedAt`, as if only updates were pending. `verifiedSeq` shows that the verification is pending.
 */
export function hasOnlyUpdatesPending(
  item: PendingItem & { dispatchedSeq?: unknown; verifiedSeq?: unknown },
  changedAt: string,
): boolean {
  const { dispatchedSeq, verifiedSeq = 0, completedAt } = item;
  const isCreationPending = dispatchedSeq === undefined;
  const isVerificationPending = Number(verifiedSeq) > Number(dispatchedSeq);
  // The `seq` of the completion is not stored, so the completion of every completed lead may be pending.
  const isCompleted = completedAt !== undefined;
  if (isCreationPending || isVerificationPending || isCompleted) return false;
  return dispatchAtMs(item, changedAt) > Date.parse(changedAt);
}

/**
 * Attributes of a change that is dispatched immediately: the creation of a lead, or a verification. See also
 * `outboxOfSubmit`.
 */
export const outboxOfCreationOrVerification = (key: LeadKey, atMs: number) => {
  const at = formatDueAt(atMs);
  return { dueShard: dueShardOf(key), dueAt: at, dispatchBy: at };
};

export const outboxOfTombstone = (key: LeadKey, atMs: number) => {
  const at = formatDueAt(atMs);
  return { erasedAt: at, dueShard: dueShardOf(key), dueAt: at };
};
