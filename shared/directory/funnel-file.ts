import * as z from 'zod';
import { token } from '../http/schemas.ts';
import { DATA_KEY_CHARACTERS_MAX, DATA_KEYS_MAX } from '../leads/submit-body.ts';
import { FIELD_TYPES } from './funnel.ts';
import { BLOCK_BYTES_MAX } from './upload-block.ts';

/** Of a file as it is written by hand, blanks included. */
export const FILE_BYTES_MAX = 1_000_000;
/** Of its content as compact JSON: with what is stored beside it, it fits DynamoDB's item of 400 KB (409 600 bytes). */
export const CONTENT_BYTES_MAX = 350_000;
/** As many steps as a lead keeps the history of (decisions 3). */
const STEPS_MAX = 200;
const BLOCKS_MAX = 50;

const name = (most: number) => token(1, most).refine((text) => text.trim() !== '', 'must not be blank');
/** A text of a person's, whose sense no program depends on. */
const words = (most: number) => token(0, most);
const id = token(1, DATA_KEY_CHARACTERS_MAX);
const smallUuid = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'must be a UUID in small letters')
  .meta({ format: 'uuid' });
const country = z
  .string()
  .regex(/^[A-Z]{2}$/, "must be a country's two capital letters, DE for example (ISO 3166-1 alpha-2)");
const language = token(2, 35);
/** Within what the database's numbers hold, and no further from zero than anybody asks about. */
const bound = z
  .number()
  .min(-1e15)
  .max(1e15)
  .refine((value) => value === 0 || Math.abs(value) >= 1e-15, 'must be 0 or further from it');
const count = (most: number) => z.int().min(1).max(most);

const Step = z
  .strictObject({
    id: id.describe('Comes as `step_id` with each submit of the step.'),
    title: name(200).optional().describe('For people who read this file.'),
  })
  .describe('One step of the funnel, as the page submits it.');

const FileField = z
  .strictObject({
    id: id.describe("The key in a lead's data."),
    type: z.enum(FIELD_TYPES),
    required: z.boolean().optional().describe('Whether the step can not be submitted without it. Absent: it can.'),
    step: id.optional().describe('The id of the step that asks for it.'),
    min: bound.optional().describe('Least: characters of a text, value of a number, count of choices.'),
    max: bound.optional().describe('Most, of the same.'),
    choices: z.array(name(1_000)).min(1).max(1_000).optional().describe('The values of `choice` and `choices`.'),
    country: country.optional().describe("Of `phone` numbers that are written without +. Absent: the funnel's."),
    verifiable: z.boolean().optional().describe('Whether a code can be sent to it: `email` and `phone`.'),
    blockId: smallUuid.optional().describe('The id of the upload block that a `file` must come from.'),
    uploadBlock: name(200).optional().describe("The same by the block's name. Both absent: any block of the funnel."),
    textVersion: token(1, 128).optional().describe("Which text a `consent` agrees to. Absent: this version's."),
  })
  .describe('One field that the funnel asks for.');

const FileBlock = z
  .strictObject({
    id: smallUuid.optional().describe('Absent: the one that the block of this name has, else a new one.'),
    name: name(200).describe('For people, and by which fields name the block.'),
    acceptedTypes: z
      .array(token(3, 127))
      .min(1)
      .max(50)
      .optional()
      .describe('Media types, also `image/*`. Absent: all that the service takes.'),
    maxBytes: count(BLOCK_BYTES_MAX).optional().describe('Of a file. Absent: 25 MB (26 214 400).'),
  })
  .describe('A part of the page that takes files.');

const FileAi = z
  .strictObject({
    systemPrompt: name(20_000).describe('Who the model is and what it may say.'),
    model: name(200).optional().describe("Its id at the provider. Absent: the deployment's choice."),
    outputTokensMax: count(4_096).optional().describe('Of one answer. Absent: 400.'),
    dailyTokens: count(1_000_000_000).optional().describe("Of all visitors in a UTC day. Absent: the service's limit."),
    texts: z.array(name(20_000)).max(1_000).optional().describe('What the built-in writer composes answers of.'),
  })
  .describe("What answers visitors' questions. Absent: the funnel has no AI block.");

const FileMessage = z.strictObject({
  subject: name(500).describe('Of an e-mail.'),
  text: name(10_000).describe('Of an e-mail; with {{code}}, and where wanted {{minutes}} and {{sender}}.'),
  sms: name(1_600).describe('Of an SMS; with {{code}}, and where wanted {{minutes}} and {{sender}}.'),
});

const FileVerification = z
  .strictObject({
    sender: name(100).optional().describe("Who writes, as visitors know it. Absent: the organization's name."),
    language: language.optional().describe("For visitors who ask for no other. Absent: the funnel's."),
    messages: z
      .record(z.string(), FileMessage)
      .optional()
      .describe("The funnel's own words by language. Other languages: the service's."),
    smsCountries: z
      .array(country)
      .max(250)
      .optional()
      .describe("Where SMS may go. Absent: the country of the field, else the funnel's."),
  })
  .describe('How visitors are sent their codes.');

const FileLimits = z
  .strictObject({
    submitsPerMinuteAndLead: count(1_000_000).optional(),
    aiTokensPerDay: count(1_000_000_000).optional(),
    sendsPerTenMinutesAndLead: count(1_000).optional(),
    sendsPerHourAndDestination: count(1_000).optional(),
  })
  .describe("In place of the service's own limits.");

/** A funnel as an operator writes it: everything that its publication depends on. Absent is the service's default. */
export const FunnelFile = z
  .strictObject({
    $schema: words(2_048).optional().describe('Where this schema lies, for editors.'),
    name: name(200).describe('What operators call the funnel.'),
    country: country.optional().describe('Of phone numbers that are written without +.'),
    language: language.optional().describe('Of the page, as a language tag. Absent: de.'),
    steps: z.array(Step).max(STEPS_MAX).optional().describe('In the order in which visitors take them.'),
    fields: z.array(FileField).max(DATA_KEYS_MAX).describe('None: the funnel takes any data.'),
    uploadBlocks: z.array(FileBlock).max(BLOCKS_MAX).optional(),
    ai: FileAi.optional(),
    allowedOrigins: z
      .array(token(1, 300))
      .max(100)
      .optional()
      .describe('Origins whose pages may post, https://www.example.com for one. Absent: any.'),
    leadRetentionDays: count(36_500).optional().describe("After a lead's last submit. Absent: they are kept."),
    verification: FileVerification.optional(),
    limits: FileLimits.optional(),
  })
  .meta({ title: 'A funnel of Tributary', description: 'What `funnels create` and `funnels publish` take.' });
export type FunnelFile = z.infer<typeof FunnelFile>;
export type FileField = FunnelFile['fields'][number];

/** The JSON Schema (draft 2020-12) by which editors help with a funnel file. What goes beyond shapes, `validate` tells. */
export const funnelFileSchema = (): object => z.toJSONSchema(FunnelFile, { io: 'input', target: 'draft-2020-12' });
