import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import * as z from 'zod/mini';
import type { Logger } from '../platform/logger.ts';
import { type CallIds, TranscriptTurn } from './call.ts';
import { transcriptKey } from './object-keys.ts';
import type { StoredTranscript, TranscriptStore } from './ports.ts';
import { parseStoredJson } from './stored-json.ts';

/**
 * Maximum bytes of a transcript in a call's item. DynamoDB allows 400 KB for the whole item, which also contains the
 * analysis and the case.
 */
export const INLINE_BYTES_MAX = 153_600;

/**
 * Maximum bytes of a transcript in a response. A Lambda response has at most 6 MB and contains the transcript's JSON as
 * a string. Each `"` and `\` is escaped in this string, and therefore counts as two bytes.
 */
export const RESPONSE_BYTES_MAX = 4_000_000;

/**
 * Maximum bytes of a compressed transcript. More than `RESPONSE_BYTES_MAX`, because gzip can make incompressible
 * content slightly larger.
 */
export const COMPRESSED_BYTES_MAX = RESPONSE_BYTES_MAX + 4_096;

const BRACKETS_BYTES = 2;
const COMMA_BYTES = 1;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Fast, because the voice provider waits for the response to its webhook. A large chunk size avoids yielding to other
 * work between chunks.
 */
const GZIP_OPTIONS = { level: constants.Z_BEST_SPEED, chunkSize: 262_144 };
const compress = promisify(gzip);
const decompress = promisify(gunzip);

const Turns = z.array(TranscriptTurn);
const parseTurns = (json: string, callId: string): TranscriptTurn[] =>
  parseStoredJson(Turns, json, `The transcript of the call ${callId}`);

/** An encoded transcript that is not stored yet. */
export type EncodedTranscript = Exclude<StoredTranscript, { key: string }>;

/**
 * Encodes a transcript as JSON. Compresses it if it has more than `INLINE_BYTES_MAX` bytes. A transcript that would
 * have more than `RESPONSE_BYTES_MAX` bytes in a response is cut between two turns and counted in a metric.
 */
export async function encodeTranscript(
  turns: readonly TranscriptTurn[],
  log: Pick<Logger, 'recordMetric'>,
): Promise<EncodedTranscript> {
  // A buffer, because the garbage collector would copy a string of several megabytes during compression and storage.
  let json = Buffer.from(JSON.stringify(turns));
  if (json.length <= INLINE_BYTES_MAX) return { json: json.toString() };
  // Escaping at most doubles the size. A transcript of at most half the limit therefore needs no exact count.
  if (json.length > RESPONSE_BYTES_MAX / 2 && responseBytes(json) > RESPONSE_BYTES_MAX) {
    log.recordMetric('TranscriptsCut');
    json = Buffer.from(JSON.stringify(turns.slice(0, countTurnsThatFit(turns))));
  }
  return { compressed: await compress(json, GZIP_OPTIONS) };
}

/**
 * Puts a transcript into the bucket if it is too large for the call's item even when compressed. Smaller transcripts
 * stay in the item, because an additional write takes time. Can be repeated.
 *
 * @returns what the item stores: the transcript or its key
 */
export async function storeTranscriptIfLarge(
  transcripts: Pick<TranscriptStore, 'put'>,
  ids: CallIds,
  transcript: EncodedTranscript,
): Promise<StoredTranscript> {
  if ('json' in transcript || transcript.compressed.length <= INLINE_BYTES_MAX) return transcript;
  return { key: await putTranscript(transcripts, ids, transcript.compressed) };
}

/**
 * Copies a compressed transcript to the bucket, because the cost of every later write of a call depends on the size of
 * its item. `moveToReady` then removes the transcript from the item. Never throws, because the transcript can also stay
 * in the item.
 *
 * @returns the key in the bucket; undefined when the transcript stays where it is
 */
export async function copyTranscriptToBucket(
  transcripts: Pick<TranscriptStore, 'put'>,
  ids: CallIds,
  stored: StoredTranscript,
  log: Pick<Logger, 'recordMetric' | 'error'>,
): Promise<string | undefined> {
  if (!('compressed' in stored)) return undefined;
  try {
    return await putTranscript(transcripts, ids, stored.compressed);
  } catch (error) {
    log.error('A transcript could not be moved to the training bucket. It stays in the item of its call.', error, ids);
    log.recordMetric('TranscriptsNotMoved');
    return undefined;
  }
}

async function putTranscript(
  transcripts: Pick<TranscriptStore, 'put'>,
  ids: CallIds,
  compressed: Uint8Array,
): Promise<string> {
  const key = transcriptKey(ids, createHash('sha256').update(compressed).digest('hex'));
  await transcripts.put(key, compressed);
  return key;
}

/** The bucket does not contain the transcript that a call's item names. */
export class TranscriptMissingError extends Error {
  override name = 'TranscriptMissingError';
}

/**
 * @param callId for error messages
 * @throws TranscriptMissingError; UnavailableError while the transcript can't be read; other errors if it can't be
 *   decompressed or parsed
 */
export async function readTranscript(
  transcripts: Pick<TranscriptStore, 'get'>,
  stored: StoredTranscript,
  callId: string,
): Promise<TranscriptTurn[]> {
  if ('json' in stored) return parseTurns(stored.json, callId);
  const compressed = 'compressed' in stored ? stored.compressed : await transcripts.get(stored.key);
  if (compressed === undefined)
    throw new TranscriptMissingError(
      `The transcript of the call ${callId} is missing in the training bucket, which keeps no earlier versions. ` +
        'The call can only be erased.',
    );
  const json = await decompress(compressed, { maxOutputLength: RESPONSE_BYTES_MAX });
  return parseTurns(json.toString(), callId);
}

/**
 * Counts the bytes of `json` in a Lambda function's response. The response is JSON that contains the body as a string,
 * so every `"` and `\` is escaped.
 */
function responseBytes(json: Buffer): number {
  let bytes = json.length;
  for (const byte of json) if (byte === QUOTE || byte === BACKSLASH) bytes++;
  return bytes;
}

function countTurnsThatFit(turns: readonly TranscriptTurn[]): number {
  let bytes = BRACKETS_BYTES;
  for (const [index, turn] of turns.entries()) {
    bytes += responseBytes(Buffer.from(JSON.stringify(turn))) + (index > 0 ? COMMA_BYTES : 0);
    if (bytes > RESPONSE_BYTES_MAX) return index;
  }
  return turns.length;
}
