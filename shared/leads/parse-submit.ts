import { HttpError } from '../http/errors.ts';
import type { Logger } from '../platform/logger.ts';
import type { LeadHandle } from './lead-handle.ts';
import { parseRawProperties, sanitizeJsonText } from './raw-json.ts';
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

export type ParsedSubmit = {
  /** The properties of `data`, each as the JSON text that was sent. */
  data: ReadonlyMap<string, string>;
  /** Undefined if the submit creates a lead. */
  handle: LeadHandle | undefined;
  /** Each value is text, or JSON text as it was sent. Undefined: the property is absent or was dropped. */
  metadata: Record<MetadataField, string | undefined>;
};

/**
 * Combines the parsed body with its raw text. Sizes and JSON values come from the raw text, as they were sent.
 *
 * @throws HttpError 413 if `data` is too large, 400 for too many or invalid keys or an incomplete handle
 */
export function parseSubmit(body: SubmitBody, rawBody: string, log: Logger): ParsedSubmit {
  const sent = parseRawProperties(sanitizeJsonText(rawBody));
  const dataJson = sent.get('data') ?? '{}';
  if (Buffer.byteLength(dataJson) > DATA_BYTES_MAX) {
    throw new HttpError(413, `body.data must have at most ${DATA_BYTES_MAX} bytes.`);
  }
  const data = parseRawProperties(dataJson);
  validateKeys(data);
  const metadata: ParsedSubmit['metadata'] = {
    step_id: body.step_id,
    page_url: body.page_url,
    funnel_version_id: body.funnel_version_id,
    webcomponent_args: rawText(body.webcomponent_args, sent.get('webcomponent_args'), WEBCOMPONENT_ARGS_BYTES_MAX),
    cookie_consent: rawText(body.cookie_consent, sent.get('cookie_consent'), COOKIE_CONSENT_BYTES_MAX),
  };
  countDroppedMetadata(metadata, sent, log);
  return { data, handle: parseHandle(body), metadata };
}

function validateKeys(data: ReadonlyMap<string, string>): void {
  if (data.size > DATA_KEYS_MAX) throw new HttpError(400, `body.data must have at most ${DATA_KEYS_MAX} keys.`);
  for (const key of data.keys()) {
    if (key === '' || [...key].length > DATA_KEY_CHARACTERS_MAX) {
      throw new HttpError(
        400,
        `A key of body.data has ${[...key].length} characters. Keys must have 1 to ${DATA_KEY_CHARACTERS_MAX} characters.`,
      );
    }
  }
}

function parseHandle({ lead_id: id, update_token: updateToken }: SubmitBody): LeadHandle | undefined {
  if (id && updateToken) return { id, updateToken };
  if (id || updateToken) throw new HttpError(400, 'body.lead_id and body.update_token must be sent together.');
  return undefined;
}

const rawText = (parsed: unknown, text: string | undefined, bytesMax: number): string | undefined =>
  parsed === undefined || text === undefined || Buffer.byteLength(text) > bytesMax ? undefined : text;

function countDroppedMetadata(
  metadata: ParsedSubmit['metadata'],
  sent: ReadonlyMap<string, string>,
  log: Logger,
): void {
  for (const name of OPTIONAL_METADATA_FIELDS) {
    const text = sent.get(name) ?? 'null';
    if (metadata[name] === undefined && text !== 'null' && text !== '""') log.recordMetric(droppedMetadataMetric(name));
  }
}

/** Returns the name of the metric, for example `SubmitDropped_cookie_consent`. */
export const droppedMetadataMetric = (name: MetadataField): string => `SubmitDropped_${name}`;
