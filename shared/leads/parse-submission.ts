import { HttpError } from '../http/errors.ts';
import type { Logger } from '../platform/logger.ts';
import type { LeadHandle } from './lead-handle.ts';
import { parseRawMembers, sanitizeJsonText } from './raw-json.ts';
import {
  COOKIE_CONSENT_BYTES_MAX,
  DATA_BYTES_MAX,
  DATA_KEY_CHARACTERS_MAX,
  DATA_KEYS_MAX,
  OPTIONAL_METADATA_FIELDS,
  type SubmitBody,
  WEBCOMPONENT_ARGS_BYTES_MAX,
} from './submit-body.ts';

type MetadataField = (typeof OPTIONAL_METADATA_FIELDS)[number];

/** A submit as the page meant it. */
export type ParsedSubmission = {
  /** The members of `data`, each as the JSON text that was sent. */
  members: ReadonlyMap<string, string>;
  /** Absent: a new lead. */
  handle: LeadHandle | undefined;
  /** Text, or JSON text as it was sent; undefined when absent or dropped. */
  metadata: Record<MetadataField, string | undefined>;
};

/**
 * Takes the parsed body and its raw text together: the text gives sizes and values as they were sent.
 *
 * @throws Problem 413 for too much data, 400 for its keys or half a handle
 */
export function parseSubmission(body: SubmitBody, rawBody: string, log: Logger): ParsedSubmission {
  const sent = parseRawMembers(sanitizeJsonText(rawBody));
  const data = sent.get('data') ?? '{}';
  if (Buffer.byteLength(data) > DATA_BYTES_MAX) {
    throw new HttpError(413, `body.data must have at most ${DATA_BYTES_MAX} bytes.`);
  }
  const members = parseRawMembers(data);
  refuseKeys(members);
  const side: ParsedSubmission['metadata'] = {
    step_id: body.step_id,
    page_url: body.page_url,
    funnel_version_id: body.funnel_version_id,
    webcomponent_args: asSent(body.webcomponent_args, sent.get('webcomponent_args'), WEBCOMPONENT_ARGS_BYTES_MAX),
    cookie_consent: asSent(body.cookie_consent, sent.get('cookie_consent'), COOKIE_CONSENT_BYTES_MAX),
  };
  countDropped(side, sent, log);
  return { members, handle: handleOf(body), metadata: side };
}

function refuseKeys(members: ReadonlyMap<string, string>): void {
  if (members.size > DATA_KEYS_MAX) throw new HttpError(400, `body.data must have at most ${DATA_KEYS_MAX} keys.`);
  for (const key of members.keys()) {
    if (key === '' || [...key].length > DATA_KEY_CHARACTERS_MAX) {
      throw new HttpError(400, `The keys of body.data must have 1 to ${DATA_KEY_CHARACTERS_MAX} characters.`);
    }
  }
}

function handleOf({ lead_id: id, update_token: updateToken }: SubmitBody): LeadHandle | undefined {
  if (id && updateToken) return { id, updateToken };
  if (id || updateToken) throw new HttpError(400, 'body.lead_id and body.update_token must be sent together.');
  return undefined;
}

const asSent = (parsed: unknown, text: string | undefined, bytesMax: number): string | undefined =>
  parsed === undefined || text === undefined || Buffer.byteLength(text) > bytesMax ? undefined : text;

function countDropped(kept: ParsedSubmission['metadata'], sent: ReadonlyMap<string, string>, log: Logger): void {
  for (const name of OPTIONAL_METADATA_FIELDS) {
    const text = sent.get(name) ?? 'null';
    if (kept[name] === undefined && text !== 'null' && text !== '""') log.recordMetric(droppedMetadataMetric(name));
  }
}

/** For example `SubmitDropped_cookie_consent`. */
export const droppedMetadataMetric = (name: MetadataField): string => `SubmitDropped_${name}`;
