import * as z from 'zod/mini';
import { encodeDeadLetter } from '../../../../shared/analytics/ingest/dead-letters.ts';
import { EVENT_ERRORS_PREFIX } from '../../../../shared/analytics/raw-events/raw-event-files.ts';
import type { ObjectStore } from '../../../../shared/platform/object-store.ts';
import { tryParseJson } from '../../../common/parse-json.ts';
import { listDeadLetters } from '../dead-letters/dead-letter-records.ts';
import {
  type ErasureSubject,
  findSessionsInLines,
  listSubjectLines,
  type PersonIdentifiers,
  removeSubjectLines,
} from './subject-lines.ts';

export type DeadLetterPorts = {
  /** Records that could not be decoded. */
  deadLetters: ObjectStore;
  /** The lake bucket, which contains the delivery errors: records that Firehose could not store as raw events. */
  lake: ObjectStore;
};

type ErasedLines = { lines: number };

/** Returns the session keys of a person's events in dead letters and delivery errors. */
export async function findSessionsInDeadLetters(
  ports: DeadLetterPorts,
  funnelId: string,
  person: PersonIdentifiers,
): Promise<bigint[]> {
  const found: bigint[] = [];
  for await (const { record } of listDeadLetters(ports.deadLetters))
    if (record !== undefined) found.push(...findSessionsInLines(record.data, funnelId, person));
  for await (const { entries } of listDeliveryErrors(ports.lake))
    for (const { data } of entries) found.push(...findSessionsInLines(data, funnelId, person));
  return found;
}

/** Yields the lines that `eraseDeadLetters` and `eraseDeliveryErrors` would remove. */
export async function* listSubjectLinesInDeadLetters(
  ports: DeadLetterPorts,
  subject: ErasureSubject,
): AsyncGenerator<string> {
  for await (const { record } of listDeadLetters(ports.deadLetters))
    if (record !== undefined) yield* listSubjectLines(record.data, subject);
  for await (const { entries } of listDeliveryErrors(ports.lake))
    for (const { data } of entries) yield* listSubjectLines(data, subject);
}

/** Removes the subject's lines from dead letters; a dry run only counts them. @returns the number of lines */
export async function eraseDeadLetters(
  { deadLetters }: DeadLetterPorts,
  subject: ErasureSubject,
  dryRun: boolean,
): Promise<ErasedLines> {
  let lines = 0;
  for await (const { key, record, reason } of listDeadLetters(deadLetters)) {
    if (record === undefined) continue;
    const { rest, erased } = removeSubjectLines(record.data, subject);
    lines += erased;
    if (erased === 0 || dryRun) continue;
    if (rest.length === 0) await deadLetters.deleteAllVersions(key);
    else
      await deadLetters.put(key, Buffer.from(encodeDeadLetter({ ...record, data: rest }, reason)), 'application/json');
  }
  return { lines };
}

/**
 * Removes the subject's lines from delivery errors, the records that Firehose could not store. A dry run only counts
 * them.
 *
 * @returns the number of lines
 */
export async function eraseDeliveryErrors(
  { lake }: DeadLetterPorts,
  subject: ErasureSubject,
  dryRun: boolean,
): Promise<ErasedLines> {
  let lines = 0;
  for await (const { key, entries } of listDeliveryErrors(lake)) {
    const cleared = entries.map((entry) => ({ ...entry, ...removeSubjectLines(entry.data, subject) }));
    const erased = cleared.reduce((sum, entry) => sum + entry.erased, 0);
    lines += erased;
    if (erased === 0 || dryRun) continue;
    const left = cleared.filter(({ rest }) => rest.length > 0);
    if (left.length === 0) await lake.deleteAllVersions(key);
    else await lake.put(key, Buffer.concat(left.map(({ rest, wrap }) => wrap(rest))), 'application/json');
  }
  return { lines };
}

/** A record that Firehose could not store. `wrap` converts data to the format in which the record is stored. */
type Entry = { data: Uint8Array; wrap: (data: Uint8Array) => Uint8Array };

const DeliveryError = z.looseObject({ rawData: z.string() });

/**
 * Firehose writes one JSON object per line, which contains the record as base64. If a line is not such an object, the
 * line itself is treated as the record.
 */
async function* listDeliveryErrors(
  lake: Pick<ObjectStore, 'list' | 'get'>,
): AsyncGenerator<{ key: string; entries: Entry[] }> {
  for await (const { key } of lake.list(EVENT_ERRORS_PREFIX)) {
    const bytes = await lake.get(key);
    if (bytes === undefined) continue;
    const lines = Buffer.from(bytes)
      .toString()
      .split('\n')
      .filter((line) => line !== '');
    yield { key, entries: lines.map(parseEntry) };
  }
}

function parseEntry(line: string): Entry {
  const failure = DeliveryError.safeParse(tryParseJson(line)).data;
  if (failure === undefined) return { data: Buffer.from(`${line}\n`), wrap: (data) => data };
  return {
    data: Buffer.from(failure.rawData, 'base64'),
    wrap: (data) => Buffer.from(`${JSON.stringify({ ...failure, rawData: Buffer.from(data).toString('base64') })}\n`),
  };
}
