import * as z from 'zod/mini';
import { FIELD_TYPES } from '../../../../shared/funnels/funnel.ts';
import { UPLOAD_BLOCK_BYTES_MAX } from '../../../../shared/funnels/upload-block.ts';
import { withDocs } from '../../../../shared/http/schema-docs.ts';
import { opaqueString } from '../../../../shared/http/schemas.ts';
import { ADDRESS_PARTS } from '../../../../shared/leads/fields/structured.ts';
import { DATA_KEY_CHARACTERS_MAX, DATA_KEYS_MAX } from '../../../../shared/leads/submit-body.ts';

/**
 * Of the content as compact JSON: together with the other attributes it fits DynamoDB's item limit of 400 KB (409 600
 * bytes).
 */
export const CONTENT_BYTES_MAX = 350_000;
/** The number of steps whose history a lead keeps. */
const STEPS_MAX = 200;
const BLOCKS_MAX = 50;

const name = (most: number) => opaqueString(1, most).check(z.refine((text) => text.trim() !== '', 'must not be blank'));
/** A text for people that no program interprets. */
const words = (most: number) => opaqueString(0, most);
const id = opaqueString(1, DATA_KEY_CHARACTERS_MAX);
const smallUuid = withDocs(
  z
    .string()
    .check(
      z.regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'must be a UUID in small letters'),
    ),
  { format: 'uuid' },
);
const country = z
  .string()
  .check(z.regex(/^[A-Z]{2}$/, "must be a country's two capital letters, DE for example (ISO 3166-1 alpha-2)"));
const language = opaqueString(2, 35);
/** Within the range of the database's numbers and of realistic bounds. */
const bound = z.number().check(
  z.minimum(-1e15),
  z.maximum(1e15),
  z.refine((value) => value === 0 || Math.abs(value) >= 1e-15, 'must be 0 or further from it'),
);
const count = (most: number) => z.int().check(z.minimum(1), z.maximum(most));

const Step = withDocs(
  z.strictObject({
    id: withDocs(id, 'Comes as `step_id` with each submit of the step.'),
    title: withDocs(z.optional(name(200)), 'For people who read this file.'),
  }),
  'One step of the funnel, as the page submits it.',
);

const FieldDefinition = withDocs(
  z.strictObject({
    id: withDocs(id, "The key in a lead's data."),
    type: withDocs(
      z.enum(FIELD_TYPES),
      `What the page sends. An \`address\` is an object with the parts ${ADDRESS_PARTS.join(', ')}.`,
    ),
    required: withDocs(z.optional(z.boolean()), 'Whether the step can not be submitted without it. Absent: it can.'),
    step: withDocs(z.optional(id), 'The id of the step that asks for it.'),
    min: withDocs(z.optional(bound), 'Least: characters of a text, value of a number, count of choices.'),
    max: withDocs(z.optional(bound), 'Most, of the same.'),
    choices: withDocs(
      z.optional(z.array(name(1_000)).check(z.minLength(1), z.maxLength(1_000))),
      'The values of `choice` and `choices`.',
    ),
    country: withDocs(z.optional(country), "Of `phone` numbers that are written without +. Absent: the funnel's."),
    verifiable: withDocs(z.optional(z.boolean()), 'Whether a code can be sent to it: `email` and `phone`.'),
    blockId: withDocs(z.optional(smallUuid), 'The id of the upload block that a `file` must come from.'),
    uploadBlock: withDocs(z.optional(name(200)), "The same by the block's name. Both absent: any block of the funnel."),
    textVersion: withDocs(
      z.optional(opaqueString(1, 128)),
      "Which text a `consent` agrees to. Absent: this version's.",
    ),
  }),
  'One field that the funnel asks for.',
);

const FileBlock = withDocs(
  z.strictObject({
    id: withDocs(z.optional(smallUuid), 'Absent: the one that the block of this name has, else a new one.'),
    name: withDocs(name(200), 'For people, and by which fields name the block.'),
    acceptedTypes: withDocs(
      z.optional(z.array(opaqueString(3, 127)).check(z.minLength(1), z.maxLength(50))),
      'Media types, also `image/*`. Absent: all that the service takes.',
    ),
    maxBytes: withDocs(z.optional(count(UPLOAD_BLOCK_BYTES_MAX)), 'Of a file. Absent: 25 MB (26 214 400).'),
  }),
  'A part of the page that takes files.',
);

const FileAi = withDocs(
  z.strictObject({
    systemPrompt: withDocs(name(20_000), 'Who the model is and what it may say.'),
    model: withDocs(z.optional(name(200)), "Its id at the provider. Absent: the deployment's choice."),
    outputTokensMax: withDocs(z.optional(count(4_096)), 'Of one answer. Absent: 400.'),
    dailyTokens: withDocs(
      z.optional(count(1_000_000_000)),
      "Of all visitors in a UTC day; one address can use a tenth, which has to cover a prompt and outputTokensMax. Absent: the service's limit.",
    ),
    texts: withDocs(
      z.optional(z.array(name(20_000)).check(z.maxLength(1_000))),
      'What the built-in writer composes answers of.',
    ),
  }),
  "What answers visitors' questions. Absent: the funnel has no AI block.",
);

const FileMessage = z.strictObject({
  subject: withDocs(name(500), 'Of an e-mail.'),
  text: withDocs(name(10_000), 'Of an e-mail; with {{code}}, and where wanted {{minutes}} and {{sender}}.'),
  sms: withDocs(name(1_600), 'Of an SMS; with {{code}}, and where wanted {{minutes}} and {{sender}}.'),
});

const FileVerification = withDocs(
  z.strictObject({
    sender: withDocs(z.optional(name(100)), "Who writes, as visitors know it. Absent: the organization's name."),
    language: withDocs(z.optional(language), "For visitors who ask for no other. Absent: the funnel's."),
    messages: withDocs(
      z.optional(z.record(z.string(), FileMessage)),
      "The funnel's own words by language. Other languages: the service's.",
    ),
    smsCountries: withDocs(
      z.optional(z.array(country).check(z.maxLength(250))),
      "Where SMS may go. Absent: the country of the field, else the funnel's.",
    ),
  }),
  'How visitors are sent their codes.',
);

const FileLimits = withDocs(
  z.strictObject({
    submitsPerMinuteAndLead: z.optional(count(1_000_000)),
    aiTokensPerDay: z.optional(count(1_000_000_000)),
    sendsPerTenMinutesAndLead: z.optional(count(1_000)),
    sendsPerHourAndDestination: z.optional(count(1_000)),
  }),
  "In place of the service's own limits.",
);

/**
 * A funnel as an operator writes it, with everything that its publication depends on. An absent property has the
 * service's default.
 */
export const FunnelDefinition = withDocs(
  z.strictObject({
    $schema: withDocs(z.optional(words(2_048)), 'Where this schema lies, for editors.'),
    name: withDocs(name(200), 'What operators call the funnel.'),
    country: withDocs(z.optional(country), 'Of phone numbers that are written without +.'),
    language: withDocs(z.optional(language), 'Of the page, as a language tag. Absent: de.'),
    steps: withDocs(
      z.optional(z.array(Step).check(z.maxLength(STEPS_MAX))),
      'In the order in which visitors take them.',
    ),
    fields: withDocs(z.array(FieldDefinition).check(z.maxLength(DATA_KEYS_MAX)), 'None: the funnel takes any data.'),
    uploadBlocks: z.optional(z.array(FileBlock).check(z.maxLength(BLOCKS_MAX))),
    ai: z.optional(FileAi),
    allowedOrigins: withDocs(
      z.optional(z.array(opaqueString(1, 300)).check(z.maxLength(100))),
      'Origins whose pages may post, https://www.example.com for one. Absent: any.',
    ),
    leadRetentionDays: withDocs(z.optional(count(36_500)), "After a lead's last submit. Absent: they are kept."),
    verification: z.optional(FileVerification),
    limits: z.optional(FileLimits),
  }),
  { title: 'A funnel of Tributary', description: 'What `funnels create` and `funnels publish` take.' },
);
export type FunnelDefinition = z.infer<typeof FunnelDefinition>;
export type FieldDefinition = FunnelDefinition['fields'][number];

/** The JSON Schema (draft 2020-12) that editors use for a funnel file. `validate` reports everything beyond shapes. */
export const funnelDefinitionSchema = (): object =>
  z.toJSONSchema(FunnelDefinition, { io: 'input', target: 'draft-2020-12' });
