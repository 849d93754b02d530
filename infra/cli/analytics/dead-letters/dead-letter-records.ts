import * as z from 'zod/mini';
import { DEAD_LETTER_PREFIX, type StreamRecord } from '../../../../shared/analytics/ingest/dead-letters.ts';
import type { ObjectStore } from '../../../../shared/platform/object-store.ts';

const Entry = z.object({
  reason: z.string(),
  shard: z.string(),
  sequenceNumber: z.string(),
  data: z.pipe(
    z.base64(),
    z.transform((base64) => new Uint8Array(Buffer.from(base64, 'base64'))),
  ),
});

/** A record of the event stream that nobody could read, as it waits for an operator. */
export type DeadLetter = {
  /** Of the object that holds it. */
  key: string;
  /** Since when, milliseconds since the epoch. */
  atMs: number;
  /** Why it was set aside. */
  reason: string;
  /** Undefined: the object does not hold what the aggregation writes. */
  record: StreamRecord | undefined;
};

const DAMAGED = 'The stored object does not hold a record: look at it by hand.';

/** All of them, one in memory at a time; what is removed meanwhile is left out. */
export async function* listDeadLetters(objects: Pick<ObjectStore, 'list' | 'get'>): AsyncGenerator<DeadLetter> {
  for await (const { key, atMs } of objects.list(DEAD_LETTER_PREFIX)) {
    const bytes = await objects.get(key);
    if (bytes !== undefined) yield recordOf({ key, atMs }, bytes);
  }
}

/** The one in this object; undefined when there is none. */
export async function readDeadLetter(
  objects: Pick<ObjectStore, 'list' | 'get'>,
  key: string,
): Promise<DeadLetter | undefined> {
  for await (const object of objects.list(key)) {
    const bytes = object.key === key ? await objects.get(key) : undefined;
    if (bytes !== undefined) return recordOf(object, bytes);
  }
  return undefined;
}

function recordOf({ key, atMs }: Pick<DeadLetter, 'key' | 'atMs'>, bytes: Uint8Array): DeadLetter {
  const entry = entryIn(bytes);
  return entry === undefined
    ? { key, atMs, reason: DAMAGED, record: undefined }
    : { key, atMs, reason: entry.reason, record: entry };
}

function entryIn(bytes: Uint8Array): z.output<typeof Entry> | undefined {
  try {
    return Entry.safeParse(JSON.parse(Buffer.from(bytes).toString())).data;
  } catch {
    return undefined;
  }
}
