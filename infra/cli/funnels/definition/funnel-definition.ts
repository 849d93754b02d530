import * as z from 'zod/mini';
import { FIELD_TYPES } from '../../../../shared/funnels/funnel.ts';
import { UPLOAD_BLOCK_BYTES_MAX } from '../../../../shared/funnels/upload-block.ts';
import { withDocs } from '../../../../shared/http/schema-docs.ts';
import { opaqueString } from '../../../../shared/http/schemas.ts';
import { ADDRESS_PARTS } from '../../../../shared/leads/fields/structured.ts';
import { DATA_KEY_CHARACTERS_MAX, DATA_KEYS_MAX } from '../../../../shared/leads/submit-body.ts';

/**
 * Maximum bytes of a funnel file as compact JSON. Lower than DynamoDB's limit of 400 KB (409 600 bytes), which also
 * covers the item's other attributes.
 */
export const CONTENT_BYTES_MAX = 350_000;
/** Maximum number of steps, because a lead keeps the history of at most this many steps. */
const STEPS_MAX = 200;
const BLOCKS_MAX = 50;

const name = (most: number) => opaqueString(1, most).check(z.refine((text) => text.trim() !== '', 'must not be blank'));
/** A text that the service does not interpret. */
const anyText = (most: number) => opaqueString(0, most);
const id = opaqueString(1, DATA_KEY_CHARACTERS_MAX);
const lowerCaseUuid = withDocs(
  z
    .string()
    .check(z.regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'must be a UUID in lower case')),
  { format: 'uuid' },
);
const country = z
  .string()
  .check(z.regex(/^[A-Z]{2}$/, 'must be a country code of two capital letters, such as DE (ISO 3166-1 alpha-2)'));
const language = opaqueString(2, 35);
/** The value of `min` or `max`. DynamoDB can store every number that this schema accepts. */
const bound = z.number().check(
  z.minimum(-1e15),
  z.maximum(1e15),
  z.refine((value) => value === 0 || Math.abs(value) >= 1e-15, 'must be 0, or at least 1e-15 away from 0'),
);
const count = (most: number) => z.int().check(z.minimum(1), z.maximum(most));

const Step = withDocs(
  z.strictObject({
    id: withDocs(id, 'The `step_id` of the submits of this step.'),
    title: withDocs(z.optional(name(200)), 'A title, for operators.'),
  }),
  'One step of the funnel, as the page submits it.',
);

const FieldDefinition = withDocs(
  z.strictObject({
    id: withDocs(id, 'The key in the data of a lead.'),
    type: withDocs(
      z.enum(FIELD_TYPES),
      `The type of value that the page sends. An \`address\` is an object with the parts ${ADDRESS_PARTS.join(', ')}.`,
    ),
    required: withDocs(
      z.optional(z.boolean()),
      "Whether a submit of the field's step must contain a value. Default: false.",
    ),
    step: withDocs(z.optional(id), 'The id of the step that contains the field.'),
    min: withDocs(
      z.optional(bound),
      'The minimum value of a number, minimum length of a text in characters, or minimum number of choices.',
    ),
    max: withDocs(
      z.optional(bound),
      'The maximum value of a number, maximum length of a text in characters, or maximum number of choices.',
    ),
    choices: withDocs(
      z.optional(z.array(name(1_000)).check(z.minLength(1), z.maxLength(1_000))),
      'The values that `choice` and `choices` accept.',
    ),
    country: withDocs(z.optional(country), "The country of `phone` numbers without +. Default: the funnel's country."),
    verifiable: withDocs(
      z.optional(z.boolean()),
      'Whether a verification code can be sent to the value. Only for `email` and `phone`.',
    ),
    blockId: withDocs(z.optional(lowerCaseUuid), 'The id of the upload block that a `file` must come from.'),
    uploadBlock: withDocs(
      z.optional(name(200)),
      'The name of the upload block that a `file` must come from, instead of its id. Default: any block of the funnel.',
    ),
    textVersion: withDocs(
      z.optional(opaqueString(1, 128)),
      'The version of the text that a `consent` agrees to. Default: the funnel version.',
    ),
  }),
  'A field that visitors fill in.',
);

const FileBlock = withDocs(
  z.strictObject({
    id: withDocs(
      z.optional(lowerCaseUuid),
      'The id of the upload block. Default: the id of the existing block with this name, or a new id.',
    ),
    name: withDocs(name(200), 'The name by which fields refer to the block.'),
    acceptedTypes: withDocs(
      z.optional(z.array(opaqueString(3, 127)).check(z.minLength(1), z.maxLength(50))),
      'Media types, also patterns such as `image/*`. Default: all types that the service accepts.',
    ),
    maxBytes: withDocs(
      z.optional(count(UPLOAD_BLOCK_BYTES_MAX)),
      'The maximum size of a file in bytes. Default: 26 214 400 (25 MB).',
    ),
  }),
  'A part of the page that accepts uploads.',
);

const FileAi = withDocs(
  z.strictObject({
    systemPrompt: withDocs(name(20_000), 'The system prompt of the model.'),
    model: withDocs(z.optional(name(200)), "The model's id at the provider. Default: the model of the deployment."),
    outputTokensMax: withDocs(z.optional(count(4_096)), 'The maximum number of tokens of a response. Default: 400.'),
    dailyTokens: withDocs(
      z.optional(count(1_000_000_000)),
      'The maximum number of tokens for all visitors in a UTC day. One IP address can use a tenth of this number, so ' +
        "a tenth must cover a prompt and `outputTokensMax`. Default: the service's limit.",
    ),
    texts: withDocs(
      z.optional(z.array(name(20_000)).check(z.maxLength(1_000))),
      'Texts from which the built-in writer composes its responses.',
    ),
  }),
  "The model that responds to visitors' questions. Default: no AI block.",
);

const FileMessage = z.strictObject({
  subject: withDocs(name(500), 'The subject of the e-mail.'),
  text: withDocs(name(10_000), 'The text of the e-mail, with {{code}}; {{minutes}} and {{sender}} are optional.'),
  sms: withDocs(name(1_600), 'The text of the SMS, with {{code}}; {{minutes}} and {{sender}} are optional.'),
});

const FileVerification = withDocs(
  z.strictObject({
    sender: withDocs(z.optional(name(100)), "The sender's name that visitors see. Default: the organization's name."),
    language: withDocs(
      z.optional(language),
      "The language for visitors whose browser requests no available language. Default: the funnel's language.",
    ),
    messages: withDocs(
      z.optional(z.record(z.string(), FileMessage)),
      "The funnel's own messages by language. Other languages use the service's messages.",
    ),
    smsCountries: withDocs(
      z.optional(z.array(country).check(z.maxLength(250))),
      'Countries that SMS may be sent to. Default: the country of the field, or of the funnel.',
    ),
  }),
  'Settings of verification codes.',
);

const FileLimits = withDocs(
  z.strictObject({
    submitsPerMinuteAndLead: z.optional(count(1_000_000)),
    aiTokensPerDay: z.optional(count(1_000_000_000)),
    sendsPerTenMinutesAndLead: z.optional(count(1_000)),
    sendsPerHourAndDestination: z.optional(count(1_000)),
  }),
  "Limits that replace the service's defaults.",
);

/** A funnel as an operator describes it in a file. */
export const FunnelDefinition = withDocs(
  z.strictObject({
    $schema: withDocs(z.optional(anyText(2_048)), 'The location of this schema, for code editors.'),
    name: withDocs(name(200), 'The name of the funnel, for operators.'),
    country: withDocs(z.optional(country), 'The country of phone numbers without +.'),
    language: withDocs(z.optional(language), 'The language of the page, as a language tag. Default: de.'),
    steps: withDocs(
      z.optional(z.array(Step).check(z.maxLength(STEPS_MAX))),
      'The steps, in their order on the page. A valid submit of the last step completes the lead.',
    ),
    fields: withDocs(
      z.array(FieldDefinition).check(z.maxLength(DATA_KEYS_MAX)),
      'The fields. With an empty list, the funnel accepts any data.',
    ),
    uploadBlocks: z.optional(z.array(FileBlock).check(z.maxLength(BLOCKS_MAX))),
    ai: z.optional(FileAi),
    allowedOrigins: withDocs(
      z.optional(z.array(opaqueString(1, 300)).check(z.maxLength(100))),
      'Origins of pages that may submit, such as https://www.example.com. Default: any origin.',
    ),
    leadRetentionDays: withDocs(
      z.optional(count(36_500)),
      'A lead is erased this many days after its last submit, or earlier if the period of the organization is shorter. ' +
        'Default: the period of the organization. A longer period applies to a stored lead from its next submit.',
    ),
    verification: z.optional(FileVerification),
    limits: z.optional(FileLimits),
  }),
  { title: 'A funnel of Tributary', description: 'The input of `funnels create` and `funnels publish`.' },
);
export type FunnelDefinition = z.infer<typeof FunnelDefinition>;
export type FieldDefinition = FunnelDefinition['fields'][number];

/**
 * Returns the JSON Schema (draft 2020-12) of funnel files, for code editors. `funnels validate` also checks other
 * rules.
 */
export const funnelDefinitionSchema = (): object =>
  z.toJSONSchema(FunnelDefinition, { io: 'input', target: 'draft-2020-12' });
