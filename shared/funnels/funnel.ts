import * as z from 'zod/mini';

export const FIELD_TYPES = [
  'text',
  'long_text',
  'email',
  'phone',
  'url',
  'number',
  'integer',
  'boolean',
  'date',
  'choice',
  'choices',
  'rating',
  'file',
  'consent',
  'address',
  'json',
] as const;

// The schema instances are shared, because creating a schema costs cold start time (ADR 0017).
const Id = z.guid();
const Text = z.string();
const Texts = z.array(Text);
const TextOrNull = z._default(z.nullable(Text), null);
const Bound = z.optional(z.number());
const Flag = z.optional(z.boolean());
const Limit = z.optional(z.int().check(z.positive()));
/** ISO 3166-1 alpha-2. */
const Country = z.string().check(z.length(2));
const OwnCountry = z.optional(Country);

/** A declared field of a funnel version. `id` is the key in a lead's `data`. */
export const Field = z.object({
  id: Text,
  type: z.enum(FIELD_TYPES),
  required: z._default(z.boolean(), false),
  stepId: TextOrNull,
  /** `min` and `max` limit the characters of a text, the value of a number, or the number of choices. */
  min: Bound,
  max: Bound,
  /** The allowed values of `choice` and `choices`. */
  choices: z.optional(Texts),
  /** Country of phone numbers without `+`. */
  country: OwnCountry,
  /** Whether a code can verify the field. Only for `email` and `phone`. */
  verifiable: Flag,
  /** The upload block of a `file` field. If absent, the file can be from any upload block of the funnel. */
  blockId: z.optional(Id),
  /** Version of the text of a `consent` field. If absent, the funnel version identifies the text. */
  textVersion: z.optional(z.string().check(z.maxLength(128))),
});
export type Field = z.infer<typeof Field>;

/** The block through which pages use the funnel's language model. */
export const AiBlock = z.object({
  id: Id,
  systemPrompt: Text,
  /** The provider's model id. Default: the deployment's first model. */
  model: z.optional(Text),
  outputTokensMax: z._default(z.int().check(z.minimum(1), z.maximum(4_096)), 400),
  /**
   * Tokens per UTC day, including prompts. One client address can use at most a tenth of these tokens. Default: the
   * limit `aiTokensPerDay` of the funnel, or the service's limit.
   */
  dailyTokens: Limit,
  /** Texts from which the built-in writer composes its output. */
  texts: z._default(Texts, []),
});
export type AiBlock = z.infer<typeof AiBlock>;

/** A step of a funnel. Pages send `id` as `step_id` of the submits of this step. */
const Step = z.object({ id: Text, title: z.optional(Text) });

/**
 * Maximum number of consent fields in a version. With more consent fields, a submit of 200 keys could exceed DynamoDB's
 * limits for an update expression (`shared/leads/aws/update-expression.ts`).
 */
export const CONSENT_FIELDS_MAX = 50;

/** A version of a funnel. It is immutable, so it is cached without expiry. */
export const FunnelVersion = z.object({
  id: Id,
  funnelId: Id,
  fields: z.array(Field),
  /** In their order on the page. Absent in older versions. */
  steps: z.optional(z.array(Step)),
  country: OwnCountry,
  ai: z.optional(AiBlock),
  /**
   * True until a publication of the version has succeeded. Until then, a concurrent publication can publish another
   * version instead. Therefore, `findVersion` returns this version only if the funnel's `publishedVersionId` refers to
   * it.
   */
  isCandidate: Flag,
});
export type FunnelVersion = z.infer<typeof FunnelVersion>;

/**
 * Returns the ids of a version's steps in their order. In older versions, which have no `steps`, the steps are in the
 * order of their first fields.
 */
export const stepIdsOf = ({ steps, fields }: Steps): string[] =>
  steps?.map(({ id }) => id) ?? [...new Set(fields.flatMap(({ stepId }) => stepId ?? []))];

type Steps = Pick<FunnelVersion, 'steps' | 'fields'>;

/** Returns undefined if the version has no steps. */
export const lastStepIdOf = (version: Steps): string | undefined => stepIdsOf(version).at(-1);

/**
 * Schema for the type of this name in `shared/messages`. It is in this file, so that reading a funnel does not load the
 * default templates.
 */
export const CodeTemplates = z.object({ subject: Text, text: Text, sms: Text });

const Verification = z.object({
  /** Sender name. Default: the organization's name. */
  sender: z.optional(z.string().check(z.maxLength(100))),
  /** The language of a message if the visitor accepts only languages without templates. */
  language: z._default(Text, 'de'),
  /** The funnel's templates by language. For other languages, the service's templates are used. */
  messages: z._default(z.record(Text, CodeTemplates), {}),
  /**
   * Countries to which SMS may be sent. Default: the country of the field. If the field has none, the country of the
   * version.
   */
  smsCountries: z.optional(z.array(Country)),
});

/** Limits of a funnel, which replace the service's default limits. */
export const FunnelLimits = z.object({
  submitsPerMinuteAndLead: Limit,
  aiTokensPerDay: Limit,
  sendsPerTenMinutesAndLead: Limit,
  sendsPerHourAndDestination: Limit,
});
export type FunnelLimits = z.infer<typeof FunnelLimits>;

/** A funnel: the id of its published version, and the settings that apply to all versions. */
export const Funnel = z.object({
  id: Id,
  orgId: Id,
  publishedVersionId: z.nullable(Id),
  /**
   * Time in ISO 8601, set while the funnel is unpublished. `publishedVersionId` is then the id of the last published
   * version.
   */
  unpublishedAt: TextOrNull,
  archivedAt: TextOrNull,
  /** Origins that may send requests. If the list is empty, every origin may. */
  allowedOrigins: z._default(Texts, []),
  /**
   * Days from the last submit until a lead expires. If absent, only the organization's `leadDays` limits how long a
   * lead is kept.
   */
  leadRetentionDays: Limit,
  /**
   * Earlier retention periods. `until`: when the period was removed or replaced by a longer period. If the last submit
   * of a lead was before `until`, the lead is kept at most for the earlier period.
   */
  earlierLeadRetention: z._default(z.array(z.object({ days: z.number(), until: Text })), []),
  verification: z.prefault(Verification, {}),
  limits: z._default(FunnelLimits, {}),
});
export type Funnel = z.infer<typeof Funnel>;
