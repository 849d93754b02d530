import * as z from 'zod/mini';
import { sessionKey } from '../../../../shared/analytics/ingest/session-key.ts';
import type { ContactSearch } from '../../../../shared/analytics/raw-events/ports.ts';
import { tryParseJson } from '../../../common/parse-json.ts';

/** The data to erase: sessions of a funnel, and other identifiers of the person. */
export type ErasureSubject = {
  funnelId: string;
  sessionKeys: ReadonlySet<bigint>;
  /** As far as they are known: an id cannot be derived from a key. */
  sessionIds: readonly string[];
  leadIds: readonly string[];
};

/** Removes the lines of erased events, and keeps everything else byte for byte. */
export function removeSubjectLines(data: Uint8Array, subject: ErasureSubject): { rest: Uint8Array; erased: number } {
  const rest: Uint8Array[] = [];
  let erased = 0;
  for (const line of linesOf(data)) {
    if (isSubjectLine(line, subject)) erased++;
    else rest.push(line);
  }
  return { rest: erased === 0 ? data : Buffer.concat(rest), erased };
}

/** The lines to erase, unchanged. */
export const listSubjectLines = (data: Uint8Array, subject: ErasureSubject): string[] =>
  linesOf(data)
    .filter((line) => isSubjectLine(line, subject))
    .map((line) => line.toString());

/** The sessions of the funnel's readable lines that name one of these leads or contain the contact. */
export function findSessionsInLines(
  data: Uint8Array,
  funnelId: string,
  { leadIds, contact }: PersonIdentifiers,
): bigint[] {
  return linesOf(data).flatMap((line) => {
    const event = parseEvent(line);
    if (event?.funnel_id !== funnelId) return [];
    const isFound = namesAny(line, leadIds) || contact?.isIn(line.toString()) === true;
    return isFound ? [sessionKey(funnelId, event.session_id)] : [];
  });
}

/** Matches events that belong to a person. */
export type PersonIdentifiers = { leadIds: readonly string[]; contact?: ContactSearch | undefined };

const NEWLINE = 0x0a;

/** Lines with their line breaks. */
function linesOf(data: Uint8Array): Buffer[] {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const lines: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, at);
    const next = end === -1 ? bytes.length : end + 1;
    lines.push(bytes.subarray(at, next));
    at = next;
  }
  return lines;
}

/** An unreadable line is erased if it contains an id as JSON text, because its other content is unknown. */
function isSubjectLine(line: Buffer, { funnelId, sessionKeys, sessionIds, leadIds }: ErasureSubject): boolean {
  const event = parseEvent(line);
  if (event !== undefined && event.funnel_id !== funnelId) return false;
  if (namesAny(line, leadIds)) return true;
  if (event !== undefined) return sessionKeys.has(sessionKey(funnelId, event.session_id));
  return sessionIds.some((id) => line.includes(JSON.stringify(id)));
}

/** Lead ids are UUIDs, compared without case. */
function namesAny(line: Buffer, leadIds: readonly string[]): boolean {
  if (leadIds.length === 0) return false;
  const text = line.toString('latin1').toLowerCase();
  return leadIds.some((leadId) => text.includes(leadId.toLowerCase()));
}

const Event = z.object({ funnel_id: z.string(), session_id: z.string() });

const parseEvent = (line: Buffer) => Event.safeParse(tryParseJson(line.toString())).data;
