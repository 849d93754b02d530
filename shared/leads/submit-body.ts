import * as z from 'zod/mini';
import { docText, withDocs } from '../http/schema-docs.ts';
import { jsonObject, uuid } from '../http/schemas.ts';
import { LEADS_PER_FILE_MAX } from '../uploads/upload.ts';
import { ADDRESS_PARTS } from './fields/structured.ts';
import { isHttpUrl } from './fields/text.ts';
import { DEFAULT_TOKEN_DAYS } from './lead-handle.ts';

export const DATA_BYTES_MAX = 65_536;
export const DATA_KEYS_MAX = 200;
export const DATA_KEY_CHARACTERS_MAX = 128;
export const WEBCOMPONENT_ARGS_BYTES_MAX = 16 * 1024;
export const COOKIE_CONSENT_BYTES_MAX = 32 * 1024;

/** `page_url` and `step_id` are stored as text in DynamoDB, which cannot hold lone surrogates. */
const wellFormed = (text: string): boolean => text.isWellFormed();

const optionalText = z.nullish(z.string());
const optionalTime = z.nullish(z.number());

/**
 * A consent platform's record, which proves a consent. An invalid record is dropped. Only `cmp` is required, so that
 * few records are dropped.
 */
const CookieConsent = withDocs(
  z.looseObject({
    cmp: withDocs(
      z.string().check(z.minLength(1), z.maxLength(64)),
      docText('The consent platform, for example `usercentrics`.'),
    ),
    controllerId: optionalText,
    type: optionalText,
    language: optionalText,
    setting: z.nullish(z.looseObject({ id: optionalText, type: optionalText, version: optionalText })),
    createdAt: optionalTime,
    updatedAt: optionalTime,
    updatedBy: optionalText,
    hash: optionalText,
    services: z.nullish(jsonObject()),
  }),
  { id: 'CookieConsent' },
);

/** Invalid optional metadata is dropped, never rejected. */
const lenient = <S extends z.ZodMiniType>(schema: S, description: string) =>
  withDocs(z.catch(z.optional(schema), undefined as z.output<S> | undefined), description);

export const SubmitBody = withDocs(
  z.object({
    data: withDocs(
      jsonObject(),
      docText(
        `Field values: at most ${DATA_KEYS_MAX} keys of 1 to ${DATA_KEY_CHARACTERS_MAX} characters,`,
        `${DATA_BYTES_MAX} bytes as sent. Merged by key: the last write wins, and \`null\` or \`""\` clears a key.`,
        'Declared fields are validated. Other keys are stored as sent. Numbers can have the format of any country',
        '("85,5", "1.234,56") unless it is ambiguous ("1,234"). An address is an object with the parts',
        `${ADDRESS_PARTS.join(', ')}, each a text; unknown parts are rejected. A file is referenced by its uuid,`,
        `and at most ${LEADS_PER_FILE_MAX} leads can refer to it. A consent is stored with its time and text version.`,
      ),
    ),
    lead_id: withDocs(
      z.nullish(z.string()),
      docText('The lead to update. Send it together with `update_token`. Without both, a lead is created.'),
    ),
    update_token: withDocs(
      z.nullish(z.string()),
      docText(
        `From the response of an earlier submit; by default valid for ${DEFAULT_TOKEN_DAYS} days from the last submit.`,
      ),
    ),
    step_id: lenient(
      z.string().check(z.minLength(1), z.maxLength(128), z.refine(wellFormed)),
      docText(
        'The submitted step. `data` must contain the required fields of this step. A valid submit of the last step ' +
          'completes the lead. Dropped if malformed.',
      ),
    ),
    page_url: lenient(
      z.string().check(
        z.trim(),
        z.maxLength(2048),
        z.refine((url) => isHttpUrl(url) && wellFormed(url)),
      ),
      docText('http or https, at most 2048 characters. Dropped if malformed.'),
    ),
    webcomponent_args: lenient(
      jsonObject(),
      docText(`At most ${WEBCOMPONENT_ARGS_BYTES_MAX} bytes. Dropped if malformed or larger.`),
    ),
    cookie_consent: lenient(
      CookieConsent,
      docText(`At most ${COOKIE_CONSENT_BYTES_MAX} bytes. Dropped if malformed or larger.`),
    ),
    funnel_version_id: lenient(
      uuid,
      docText('The version for which the page was built. If it is unknown, the published version is used.'),
    ),
  }),
  // Generated clients name the type of the body after this id.
  { id: 'LeadSubmission' },
);
export type SubmitBody = z.output<typeof SubmitBody>;

export const OPTIONAL_METADATA_FIELDS = [
  'step_id',
  'page_url',
  'webcomponent_args',
  'cookie_consent',
  'funnel_version_id',
] as const satisfies readonly (keyof SubmitBody)[];
