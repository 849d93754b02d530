import * as z from 'zod/mini';
import { DEAD_LETTER_PREFIX } from '../../../../shared/analytics/ingest/dead-letters.ts';
import type { ReceivedRecord } from '../../../../shared/analytics/ingest/stream-records.ts';
import type { ObjectStore } from '../../../../shared/platform/object-store.ts';
import { tryParseJson } from '../../../common/parse-json.ts';

const Entry = z.object({
  reason: z.string(),
  shard: z.string(),
  sequenceNumber: z.string(),
  data: z.pipe(
    z.base64(),
    z.transform((base64) => new Uint8Array(Buffer.from(base64, 'base64'))),
  ),
});

/** A record of the event stream that could not be decoded when it arrived. */
export type DeadLetter = {
  key: string;
  atMs: number;
  reason: string;
  /** Undefined if the object does not have the format of dead letters. */
  record: ReceivedRecord | undefined;
};

const DAMAGED = 'The stored object is not a dead letter: inspect it manually.';

/** Yields all dead letters. Skips those that are removed during the iteration. Memory holds one record at a time. */
export async function* listDeadLetters(objects: Pick<ObjectStore, 'list' | 'get'>): AsyncGenerator<DeadLetter> {
  for await (const { key, atMs } of objects.list(DEAD_LETTER_PREFIX)) {
    const bytes = await objects.get(key);
    if (bytes !== undefined) yield parseDeadLetter({ key, atMs }, bytes);
  }
}

export async function readDeadLetter(
  objects: Pick<ObjectStore, 'list' | 'get'>,
  key: string,
): Promise<DeadLetter | undefined> {
  for await (const object of objects.list(key)) {
    const bytes = object.key === key ? await objects.get(key) : undefined;
    if (bytes !== undefined) return parseDeadLetter(object, bytes);
  }
  return undefined;
}

function parseDeadLetter({ key, atMs }: Pick<DeadLetter, 'key' | 'atMs'>, bytes: Uint8Array): DeadLetter {
  const entry = Entry.safeParse(tryParseJson(Buffer.from(bytes).toString())).data;
  return entry === undefined
    ? { key, atMs, reason: DAMAGED, record: undefined }
    : { key, atMs, reason: entry.reason, record: entry };
}
