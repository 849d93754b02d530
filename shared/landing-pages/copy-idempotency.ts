import { createHash } from 'node:crypto';
import { HttpError } from '../http/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { TombstoneRepository } from './ports.ts';

/** How long a key stands for a copy. */
const KEY_MS = 24 * 3_600_000;
/** Longer than a copy can take: whoever holds a claim has ended by then, one way or another. */
const LEASE_MS = 30_000;
const POLL_MS = 250;

/** Whose key it is, and of which page a copy is asked for. */
export type CopyIdempotencyKey = { sourcePageId: string; userId: string; key: string };

/** What a key stands for. */
type CopyIdempotencyRecord = {
  /** Of the copy. */
  orgId: string;
  pageId: string;
  bodyHash: string;
  leaseUntilMs: number;
  expiresAtMs: number;
  /** `failed`: nothing came of it, and another body may use the key. */
  state: 'copying' | 'copied' | 'failed';
};

/** Every method throws Problem 503 while the table is not available. */
export type CopyIdempotencyRepository = {
  /** As it is right now. */
  find(place: CopyIdempotencyKey): Promise<CopyIdempotencyRecord | undefined>;
  /** False when there is another than was seen: then nothing is written. */
  put(
    place: CopyIdempotencyKey,
    claim: CopyIdempotencyRecord,
    seen: CopyIdempotencyRecord | undefined,
  ): Promise<boolean>;
  /** Notes what came of it, where it still stands for that page. */
  complete(place: CopyIdempotencyKey, pageId: string, state: 'copied' | 'failed'): Promise<void>;
};

export type CopyIdempotencyPorts = {
  idempotencyRecords: CopyIdempotencyRepository;
  tombstones: TombstoneRepository;
  clock: Clock;
  /** @param ms milliseconds */
  sleep(ms: number): Promise<unknown>;
};

type Asked = {
  place: CopyIdempotencyKey;
  rawBody: string;
  orgId: string;
  newPageId: string;
  deadlineMs: number;
  /** Runs before the claim is written, so that a refused request leaves no item behind. @throws Problem 404 */
  requireSource: () => Promise<unknown>;
};

/**
 * Makes a key stand for a copy, or finds the one that it stands for: waits for whoever is at it, and goes on where they
 * died, after it is sure that they can not end it any more.
 *
 * @returns the copy's page, and whether the caller is to make it
 * @throws Problem 400 for another body than the key stands for, 404 without the source, 503 when the one who is at it takes
 *   too long
 */
export async function createOrJoinCopy(
  ports: CopyIdempotencyPorts,
  asked: Asked,
): Promise<{ pageId: string; isOwner: boolean }> {
  const { idempotencyRecords: claims, clock } = ports;
  const bodyHash = createHash('sha256').update(asked.rawBody).digest('base64url');
  while (true) {
    const nowMs = clock.now();
    const seen = await claims.find(asked.place);
    // The answer to its own write was lost.
    if (seen?.pageId === asked.newPageId) return { pageId: asked.newPageId, isOwner: true };
    const outcome = seen === undefined ? 'free' : await outcomeOf(ports, seen, { bodyHash, nowMs });
    if (outcome === 'copied') return { pageId: seen?.pageId ?? asked.newPageId, isOwner: false };
    if (outcome === 'free') {
      await asked.requireSource();
      const claim = claimOf(asked, { bodyHash, nowMs });
      if (await claims.put(asked.place, claim, seen)) return { pageId: asked.newPageId, isOwner: true };
      continue;
    }
    if (nowMs + POLL_MS > asked.deadlineMs) throw stillAtIt();
    await ports.sleep(POLL_MS);
  }
}

/** Notes what came of a copy; where that fails, the lease's end and the page itself tell it. */
export async function completeIdempotencyRecord(
  { idempotencyRecords: claims }: Pick<CopyIdempotencyPorts, 'idempotencyRecords'>,
  { place, pageId, state, log }: { place: CopyIdempotencyKey; pageId: string; state: 'copied' | 'failed'; log: Logger },
): Promise<void> {
  await claims
    .complete(place, pageId, state)
    .catch((error: unknown) => log.error('what came of a copy could not be noted', error, { pageId }));
}

const claimOf = (
  { orgId, newPageId }: Asked,
  { bodyHash, nowMs }: { bodyHash: string; nowMs: number },
): CopyIdempotencyRecord => ({
  ...{ orgId, pageId: newPageId, bodyHash, state: 'copying' },
  leaseUntilMs: nowMs + LEASE_MS,
  expiresAtMs: nowMs + KEY_MS,
});

type Now = { bodyHash: string; nowMs: number };

async function outcomeOf({ tombstones }: CopyIdempotencyPorts, seen: CopyIdempotencyRecord, { bodyHash, nowMs }: Now) {
  if (seen.expiresAtMs <= nowMs) return 'free';
  if (seen.state !== 'failed') refuseOther(seen, bodyHash);
  if (seen.state === 'copied') return 'copied';
  const place = await tombstones.getRecordState(seen);
  const isOver = place !== 'empty' || seen.state === 'failed' || seen.leaseUntilMs <= nowMs;
  if (!isOver) return 'under way';
  // Whoever was at it and only paused must not commit a second page for the key.
  if (place !== 'page' && (await tombstones.putTombstone(seen, nowMs))) return 'free';
  refuseOther(seen, bodyHash);
  return 'copied';
}

function refuseOther(seen: CopyIdempotencyRecord, bodyHash: string): void {
  if (seen.bodyHash === bodyHash) return;
  throw new HttpError(400, 'header.idempotency-key was used with another body. Send the same body, or use a new key.');
}

const stillAtIt = (): HttpError =>
  new HttpError(
    503,
    'The copy with this Idempotency-Key is in progress. Send the same request again to get its result.',
    {
      headers: { 'Retry-After': '5' },
    },
  );
