import type { RawEventStore } from '../../../shared/analytics/raw-events/ports.ts';
import type { Lead } from '../../../shared/leads/lead.ts';
import type { LeadIndexReader } from '../../../shared/leads/ports.ts';
import { planUploadErasure } from '../../../shared/uploads/erase-upload.ts';
import { sanitizeFileName } from '../../../shared/uploads/file-name.ts';
import { formatLeadReference } from '../../../shared/uploads/lead-reference.ts';
import type { UploadRepository } from '../../../shared/uploads/ports.ts';
import { kindOfPath, type Upload } from '../../../shared/uploads/upload.ts';
import { type DeadLetterPorts, listSubjectLinesInDeadLetters } from '../analytics/erasure/erase-dead-letters.ts';
import { findSessionsOfPerson } from '../analytics/erasure/erase-sessions.ts';
import type { PersonMatches } from './find-person.ts';
import { listFilesByLead, readUploads } from './lead-files.ts';
import { type ExportedCounts, formatReadme } from './person-readme.ts';

export type ExportPersonPorts = {
  index: LeadIndexReader;
  uploads: Pick<UploadRepository, 'find' | 'listByLeads'>;
  /** Opens the file with this storage path; undefined if the file does not exist. */
  open(path: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  analytics: DeadLetterPorts & { raw: RawEventStore };
  /** Formats a lead as JSON, without internal attributes. */
  leadText(lead: Lead): string;
};

/** A file of the export. `name` is its path in the export. Read the content before you request the next file. */
export type PersonFile = { name: string; content: AsyncIterable<string | Uint8Array> };

const LEADS_AT_ONCE = 20;
/**
 * Maximum length of a visitor's file name. The export puts a number before the name, and common file systems allow
 * names of 255 bytes.
 */
const NAME_BYTES_MAX = 200;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * Yields the stored data of a person as files for the person: the leads, the uploaded files, and events. If an event
 * names one of the leads or contains the person's address or number, all events of its session are included. Memory
 * holds a few leads, a part of an uploaded file, or the events of one raw event file at a time.
 *
 * @param counts is increased during the iteration, and complete at its end
 */
export async function* exportPersonFiles(
  ports: ExportPersonPorts,
  orgId: string,
  found: readonly PersonMatches[],
  counts: ExportedCounts,
): AsyncGenerator<PersonFile> {
  const uploads: Uploaded[] = [];
  yield { name: 'leads.json', content: jsonArray(leadTexts(ports, orgId, found, uploads, counts)) };
  const fileEntries: string[] = [];
  for (const uploaded of uploads) {
    const { name, size, mimeType, uuid, storagePath, createdAtMs } = uploaded.upload;
    const content = await ports.open(storagePath);
    const path = `files/${fileName(counts.files + 1, uploaded.upload)}`;
    const file = content === undefined ? null : path;
    const uploaded_at = new Date(createdAtMs).toISOString();
    fileEntries.push(
      JSON.stringify({ file, name, size, mime_type: mimeType, uploaded_at, uuid, lead_id: uploaded.leadId }),
    );
    if (content === undefined) counts.missingFiles++;
    else counts.files++;
    if (content !== undefined) yield { name: path, content };
  }
  if (fileEntries.length > 0) yield { name: 'files.json', content: jsonArray(fileEntries) };
  yield { name: 'events.json', content: jsonArray(eventTexts(ports, found, counts)) };
  yield { name: 'README.txt', content: once(() => formatReadme(counts)) };
}

type Uploaded = { leadId: string; upload: Upload };

async function* leadTexts(
  ports: ExportPersonPorts,
  orgId: string,
  found: readonly PersonMatches[],
  uploads: Uploaded[],
  counts: ExportedCounts,
): AsyncGenerator<string> {
  const files = await listFilesByLead(ports.uploads, orgId, found);
  const seen = new Set<string>();
  for (const { funnelId, leadIds } of found) {
    for (let at = 0; at < leadIds.length; at += LEADS_AT_ONCE) {
      const keys = leadIds.slice(at, at + LEADS_AT_ONCE).map((leadId) => ({ funnelId, leadId }));
      for (const lead of await ports.index.getLeads(keys)) {
        counts.leads++;
        const named = [...lead.data.values()].flatMap((json) => json.toLowerCase().match(UUID) ?? []);
        for await (const upload of readUploads(ports.uploads, orgId, named, files.get(formatLeadReference(lead)))) {
          if (planUploadErasure(upload, formatLeadReference(lead)) === 'none' || seen.has(upload.uuid)) continue;
          seen.add(upload.uuid);
          uploads.push({ leadId: lead.leadId, upload });
        }
        yield ports.leadText(lead);
      }
    }
  }
}

async function* eventTexts(
  { analytics }: ExportPersonPorts,
  found: readonly PersonMatches[],
  counts: ExportedCounts,
): AsyncGenerator<string> {
  for (const { funnelId, leadIds, contact } of found) {
    const keys = await findSessionsOfPerson(analytics, funnelId, { leadIds, contact });
    counts.sessions += keys.size;
    for await (const text of eventsOf(analytics, funnelId, keys)) {
      counts.events++;
      yield text;
    }
  }
}

async function* eventsOf(analytics: ExportPersonPorts['analytics'], funnelId: string, sessionKeys: Set<bigint>) {
  const sessions = new Map([[funnelId, [...sessionKeys]]]);
  if (sessionKeys.size === 0) return;
  for await (const { key } of analytics.raw.listFiles()) {
    const texts: string[] = [];
    await analytics.raw.open(key, async (file) => {
      for await (const text of file.exportRows(sessions)) texts.push(text);
    });
    yield* texts;
  }
  const subject = { funnelId, sessionKeys, sessionIds: [], leadIds: [] };
  for await (const line of listSubjectLinesInDeadLetters(analytics, subject)) yield withoutKey(line);
}

/** Parsing cannot fail, because only readable events were selected. */
function withoutKey(line: string): string {
  const { session_key: _, ...event } = Object(JSON.parse(line));
  return JSON.stringify(event);
}

/** Returns the number and the sanitized name of the file. If the name is too long, the file type replaces the name. */
function fileName(number: number, { name, storagePath }: Upload): string {
  const safe = sanitizeFileName(name);
  return Buffer.byteLength(safe) > NAME_BYTES_MAX ? `${number}.${kindOfPath(storagePath)}` : `${number} ${safe}`;
}

async function* jsonArray(texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const text of texts) {
    yield `${before}${text}`;
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

async function* once(text: () => string): AsyncGenerator<string> {
  yield text();
}
