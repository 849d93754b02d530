import * as z from 'zod/mini';
import { sessionKey } from '../../../../shared/analytics/events/session-key.ts';
import type { ContactSearch } from '../../../../shared/analytics/raw-events/ports.ts';
import { tryParseJson } from '../../../common/parse-json.ts';

/** What identifies the lines to erase: sessions of a funnel, and ids of leads. */
export type ErasureSubject = {
  funnelId: string;
  sessionKeys: ReadonlySet<bigint>;
  /** Ids of sessions in `sessionKeys`. Of some sessions, only the key is known, and the key does not reveal the id. */
  sessionIds: readonly string[];
  leadIds: readonly string[];
};

/** Removes the subject's lines. All other lines stay unchanged, byte for byte. */
export function removeSubjectLines(data: Uint8Array, subject: ErasureSubject): { rest: Uint8Array; erased: number } {
  const rest: Uint8Array[] = [];
  let erased = 0;
  for (const line of linesOf(data)) {
    if (isSubjectLine(line, subject)) erased++;
    else rest.push(line);
  }
  return { rest: erased === 0 ? data : Buffer.concat(rest), erased };
}

/** Returns the lines that `removeSubjectLines` would remove. */
export const listSubjectLines = (data: Uint8Array, subject: ErasureSubject): string[] =>
  linesOf(data)
    .filter((line) => isSubjectLine(line, subject))
    .map((line) => line.toString());

/**
 * Finds the funnel's readable lines that name one of the leads or contain the contact.
 *
 * @returns the session keys of these lines
 */
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

/** What identifies a person in events: the ids of their leads, and an e-mail address or phone number. */
export type PersonIdentifiers = { leadIds: readonly string[]; contact?: ContactSearch | undefined };

const NEWLINE = 0x0a;

/** Splits bytes into lines, each with its line break. */
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

/**
 * Whether the line must be erased. If the line is unreadable, its funnel and session are unknown. It must then be
 * erased if it contains a lead id, or a session id as a JSON string.
 */
function isSubjectLine(line: Buffer, { funnelId, sessionKeys, sessionIds, leadIds }: ErasureSubject): boolean {
  const event = parseEvent(line);
  if (event !== undefined && event.funnel_id !== funnelId) return false;
  if (namesAny(line, leadIds)) return true;
  if (event !== undefined) return sessionKeys.has(sessionKey(funnelId, event.session_id));
  return sessionIds.some((id) => line.includes(JSON.stringify(id)));
}

/** Whether the line contains the id of one of the leads. Ignores case, which has no meaning in a UUID. */
function namesAny(line: Buffer, leadIds: readonly string[]): boolean {
  if (leadIds.length === 0) return false;
  const text = line.toString('latin1').toLowerCase();
  return leadIds.some((leadId) => text.includes(leadId.toLowerCase()));
}

const Event = z.object({ funnel_id: z.string(), session_id: z.string() });

const parseEvent = (line: Buffer) => Event.safeParse(tryParseJson(line.toString())).data;
