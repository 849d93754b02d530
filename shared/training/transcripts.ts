import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import * as z from 'zod/mini';
import type { Logger } from '../platform/logger.ts';
import { type CallIds, TranscriptTurn } from './call.ts';
import { transcriptKey } from './object-keys.ts';
import type { StoredTranscript } from './ports.ts';
import { parseStoredJson } from './stored-json.ts';

/** Bytes of a transcript in a call's item, which has at most 400 KB, the analysis and the case included. */
export const INLINE_BYTES_MAX = 204_800;

/**
 * Bytes that a transcript's JSON has as Lambda sends it: so many still fit into the answer of a function, 6 MB with
 * everything around it.
 */
export const SENT_BYTES_MAX = 4_000_000;

/** What is packed is a little larger than its content at worst. */
export const COMPRESSED_BYTES_MAX = SENT_BYTES_MAX + 4_096;

const BRACKETS_BYTES = 2;
const COMMA_BYTES = 1;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const pack = promisify(gzip);
/** Somebody waits. In one piece of output mostly: between two pieces whatever else runs comes first. */
const PACKING = { level: constants.Z_BEST_SPEED, chunkSize: 262_144 };

const unpack = promisify(gunzip);

const Turns = z.array(TranscriptTurn);
const turnsIn = (json: string): TranscriptTurn[] => parseStoredJson(Turns, json, 'The transcript of a call');

export type TranscriptStore = {
  put(key: string, packed: Uint8Array): Promise<void>;
  /** Undefined when there is none. @throws for one of more than `PACKED_BYTES_MAX` bytes */
  get(key: string): Promise<Uint8Array | undefined>;
};

/** A transcript as it is stored, wherever that will be. */
export type EncodedTranscript = Exclude<StoredTranscript, { key: string }>;

/**
 * A transcript as JSON, or compressed when that is too large for a call's item. What would be sent as more than 4 000 000
 * bytes is cut between two turns, and counted.
 */
export async function encodeTranscript(
  turns: readonly TranscriptTurn[],
  log: Pick<Logger, 'recordMetric'>,
): Promise<EncodedTranscript> {
  // As bytes: a text of megabytes that lives while it is packed and stored is moved by the garbage collector.
  let json = Buffer.from(JSON.stringify(turns));
  if (json.length <= INLINE_BYTES_MAX) return { json: json.toString() };
  // At worst twice as many: a usual transcript is not worth counting.
  if (json.length > SENT_BYTES_MAX / 2 && sentBytes(json) > SENT_BYTES_MAX) {
    log.recordMetric('TranscriptsCut');
    json = Buffer.from(JSON.stringify(turns.slice(0, howManyFit(turns))));
  }
  return { packed: await pack(json, PACKING) };
}

/**
 * Puts a transcript where whoever brought it need not wait long: in the call's item, or, when it is too large for that even
 * compressed, in the bucket; the object stands already when this resolves. Storing one again stores the same.
 */
export async function storeTranscript(
  objects: Pick<TranscriptStore, 'put'>,
  ids: CallIds,
  transcript: EncodedTranscript,
): Promise<StoredTranscript> {
  if ('json' in transcript || transcript.packed.length <= INLINE_BYTES_MAX) return transcript;
  return { key: await put(objects, ids, transcript.packed) };
}

/**
 * Moves what is compressed in a call's item to the bucket, since each later write of a call costs by the size of its item.
 * It is as safe where it lies: a bucket that does not answer keeps no call from its end.
 *
 * @returns its key there; undefined when it stays where it is
 */
export async function moveTranscriptToBucket(
  objects: Pick<TranscriptStore, 'put'>,
  ids: CallIds,
  stored: StoredTranscript,
  log: Pick<Logger, 'recordMetric' | 'error'>,
): Promise<string | undefined> {
  if (!('packed' in stored)) return undefined;
  try {
    return await put(objects, ids, stored.packed);
  } catch (error) {
    log.error('a transcript could not be moved to the bucket; it stays in its call', error, ids);
    log.recordMetric('TranscriptsNotMoved');
    return undefined;
  }
}

async function put(objects: Pick<TranscriptStore, 'put'>, ids: CallIds, packed: Uint8Array): Promise<string> {
  const key = transcriptKey(ids, createHash('sha256').update(packed).digest('hex'));
  await objects.put(key, packed);
  return key;
}

/** What a call says to be in the bucket is not there. */
export class TranscriptMissingError extends Error {
  override name = 'TranscriptMissing';
}

/** @throws `TranscriptMissing`; others when it is no transcript of ours */
export async function readTranscript(
  objects: Pick<TranscriptStore, 'get'>,
  stored: StoredTranscript,
): Promise<TranscriptTurn[]> {
  if ('json' in stored) return turnsIn(stored.json);
  const packed = 'packed' in stored ? stored.packed : await objects.get(stored.key);
  if (packed === undefined) throw new TranscriptMissingError('The transcript of a call is not where its record says.');
  const json = await unpack(packed, { maxOutputLength: SENT_BYTES_MAX });
  return turnsIn(json.toString());
}

/** A function's answer is JSON that holds its body as a text: each quote and each backslash of it is escaped once more. */
function sentBytes(json: Buffer): number {
  let bytes = json.length;
  for (const byte of json) if (byte === QUOTE || byte === BACKSLASH) bytes++;
  return bytes;
}

function howManyFit(turns: readonly TranscriptTurn[]): number {
  let bytes = BRACKETS_BYTES;
  for (const [at, turn] of turns.entries()) {
    bytes += sentBytes(Buffer.from(JSON.stringify(turn))) + (at > 0 ? COMMA_BYTES : 0);
    if (bytes > SENT_BYTES_MAX) return at;
  }
  return turns.length;
}
