import { createHash } from 'node:crypto';
import { HttpError } from '../http/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type {
  CopyIdempotencyKey,
  CopyIdempotencyRecord,
  CopyIdempotencyRepository,
  PageTombstoneRepository,
} from './ports.ts';

/** Time for which a key identifies a copy. */
const KEY_TTL_MS = 24 * 3_600_000;
/**
 * Duration of the lease on a key. Longer than the timeout of the function that copies (29 s), so that the lease does
 * not expire during a copy.
 */
const LEASE_MS = 30_000;
const POLL_MS = 250;

export type CopyIdempotencyPorts = {
  idempotencyRecords: CopyIdempotencyRepository;
  tombstones: PageTombstoneRepository;
  clock: Clock;
  sleep(ms: number): Promise<unknown>;
};

type CopyRequestWithKey = {
  key: CopyIdempotencyKey;
  rawBody: string;
  orgId: string;
  newPageId: string;
  deadlineMs: number;
  /**
   * Runs before the record is written, so that a request for an absent source page stores nothing.
   *
   * @throws HttpError 404
   */
  requireSource: () => Promise<unknown>;
};

/**
 * Creates the idempotency record, or joins the copy that already has the key. Waits for a running copy. If the earlier
 * copy failed or crashed, takes over its key, and stores a tombstone, so that the earlier copy cannot commit later.
 *
 * @returns the id of the copy; `isOwner`: the caller must create the copy
 * @throws HttpError 400 if the key was used with another body for a copy that has not failed, 404 if there is no source
 *   page, 503 if the running copy takes too long; UnavailableError
 */
export async function createOrJoinCopy(
  ports: CopyIdempotencyPorts,
  request: CopyRequestWithKey,
): Promise<{ pageId: string; isOwner: boolean }> {
  const { idempotencyRecords, clock } = ports;
  const bodyHash = createHash('sha256').update(request.rawBody).digest('base64url');
  while (true) {
    const nowMs = clock.now();
    const seen = await idempotencyRecords.find(request.key);
    // This request wrote the record, but the response of the table was lost.
    if (seen?.pageId === request.newPageId) return { pageId: request.newPageId, isOwner: true };
    const status = seen === undefined ? 'free' : await getKeyStatus(ports, seen, { bodyHash, nowMs });
    if (seen !== undefined && status === 'copied') return { pageId: seen.pageId, isOwner: false };
    if (status === 'free') {
      await request.requireSource();
      const record = createRecord(request, { bodyHash, nowMs });
      if (await idempotencyRecords.put(request.key, record, seen)) return { pageId: request.newPageId, isOwner: true };
      continue;
    }
    if (nowMs + POLL_MS > request.deadlineMs) throw copyInProgress();
    await ports.sleep(POLL_MS);
  }
}

/**
 * Stores the result of a copy. An error is only logged: the lease expires, and then the page's own record shows whether
 * the copy was committed.
 */
export async function completeIdempotencyRecord(
  { idempotencyRecords }: Pick<CopyIdempotencyPorts, 'idempotencyRecords'>,
  { key, pageId, state, log }: { key: CopyIdempotencyKey; pageId: string; state: 'copied' | 'failed'; log: Logger },
): Promise<void> {
  await idempotencyRecords
    .complete(key, pageId, state)
    .catch((error: unknown) =>
      log.error('The result of a page copy could not be stored in its idempotency record.', error, { pageId }),
    );
}

const createRecord = (
  { orgId, newPageId }: CopyRequestWithKey,
  { bodyHash, nowMs }: { bodyHash: string; nowMs: number },
): CopyIdempotencyRecord => ({
  orgId,
  pageId: newPageId,
  bodyHash,
  state: 'copying',
  leaseUntilMs: nowMs + LEASE_MS,
  expiresAtMs: nowMs + KEY_TTL_MS,
});

async function getKeyStatus(
  { tombstones }: CopyIdempotencyPorts,
  seen: CopyIdempotencyRecord,
  { bodyHash, nowMs }: { bodyHash: string; nowMs: number },
): Promise<'free' | 'copied' | 'in_progress'> {
  if (seen.expiresAtMs <= nowMs) return 'free';
  if (seen.state !== 'failed') assertSameBody(seen, bodyHash);
  if (seen.state === 'copied') return 'copied';
  const recordState = await tombstones.getRecordState(seen);
  const hasEnded = recordState !== 'absent' || seen.state === 'failed' || seen.leaseUntilMs <= nowMs;
  if (!hasEnded) return 'in_progress';
  // The process of the earlier copy may be frozen and continue later. The tombstone prevents this process from
  // committing a second page for the key.
  if (recordState !== 'page' && (await tombstones.putTombstone(seen, nowMs))) return 'free';
  assertSameBody(seen, bodyHash);
  return 'copied';
}

function assertSameBody(seen: CopyIdempotencyRecord, bodyHash: string): void {
  if (seen.bodyHash === bodyHash) return;
  throw new HttpError(400, 'header.idempotency-key was used with another body. Send the same body, or use a new key.');
}

const copyInProgress = (): HttpError =>
  new HttpError(
    503,
    'The copy with this Idempotency-Key is in progress. Send the same request again to get its result.',
    { headers: { 'Retry-After': '5' } },
  );
