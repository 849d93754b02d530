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

// Each of these is made once: a cold start waits for every schema that it makes.
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

/** One declared field of a published funnel version; `id` is the key in a lead's `data`. */
export const Field = z.object({
  id: Text,
  type: z.enum(FIELD_TYPES),
  required: z._default(z.boolean(), false),
  stepId: TextOrNull,
  /** Least and most: characters of text, the value of a number, the count of choices. */
  min: Bound,
  max: Bound,
  /** The allowed values of `choice` and `choices`. */
  choices: z.optional(Texts),
  /** ISO 3166-1 alpha-2: the country of a phone number written without `+`. */
  country: OwnCountry,
  /** May be verified by a code sent to it; email and phone only. */
  verifiable: Flag,
  /** The upload block that a `file` must come from; absent: any block of the funnel. */
  blockId: z.optional(Id),
  /** Names the text of a `consent` that the visitor agreed to; absent: the funnel version's own. */
  textVersion: z.optional(z.string().check(z.maxLength(128))),
});
export type Field = z.infer<typeof Field>;

/** The block by which a page asks the funnel's model. */
export const AiBlock = z.object({
  id: Id,
  systemPrompt: Text,
  /** The model's id at its provider; absent: the deployment's own choice. */
  model: z.optional(Text),
  outputTokensMax: z._default(z.int().check(z.minimum(1), z.maximum(4_096)), 400),
  /** Tokens a UTC day for all visitors of the funnel, those of prompts included; one address can use a tenth. Absent: the service's default. */
  dailyTokens: Limit,
  /** What the built-in writer composes its answers of: the funnel's own texts. */
  texts: z._default(Texts, []),
});
export type AiBlock = z.infer<typeof AiBlock>;

/** Of so many consents a lead's one write keeps time and text, beside 200 keys of data, within what an expression may hold. */
export const CONSENT_FIELDS_MAX = 50;

/** What a publication froze: immutable, so that it may be cached for ever. */
export const FunnelVersion = z.object({
  id: Id,
  funnelId: Id,
  fields: z.array(Field),
  country: OwnCountry,
  ai: z.optional(AiBlock),
  /** It was stored to be published, and is not until its funnel names it: somebody else's publication may come first. */
  isCandidate: Flag,
});
export type FunnelVersion = z.infer<typeof FunnelVersion>;

/** The texts of a message with a code; `{{code}}`, `{{minutes}}` and `{{sender}}` are filled in. */
export const CodeTemplates = z.object({ subject: Text, text: Text, sms: Text });
export type CodeTemplates = z.infer<typeof CodeTemplates>;

/** How the funnel's visitors are sent their codes. */
const Verification = z.object({
  /** Who writes, as visitors know it; absent: the organization's name. */
  sender: z.optional(z.string().check(z.maxLength(100))),
  /** The language of a visitor who asks for none that there is a text in. */
  language: z._default(Text, 'de'),
  /** Texts of the funnel's own by language; other languages have the service's. */
  messages: z._default(z.record(Text, CodeTemplates), {}),
  /** ISO 3166-1 alpha-2: where SMS may go; absent: the country of the field or the version alone. */
  smsCountries: z.optional(z.array(Country)),
});

/** Limits of a funnel in place of the service's own (decisions 11). */
export const FunnelLimits = z.object({
  submitsPerMinuteAndLead: Limit,
  aiTokensPerDay: Limit,
  sendsPerTenMinutesAndLead: Limit,
  sendsPerHourAndDestination: Limit,
});
export type FunnelLimits = z.infer<typeof FunnelLimits>;

/** The funnel as public routes meet it: a pointer to its published version, and what holds for all versions. */
export const Funnel = z.object({
  id: Id,
  orgId: Id,
  publishedVersionId: z.nullable(Id),
  /** ISO 8601; set while the funnel is not published. `publishedVersionId` then names the last published version. */
  unpublishedAt: TextOrNull,
  archivedAt: TextOrNull,
  /** Origins whose pages may post; empty: any. */
  allowedOrigins: z._default(Texts, []),
  /** Days after the last submit until a lead expires; absent: kept. */
  leadRetentionDays: Limit,
  verification: z.prefault(Verification, {}),
  limits: z._default(FunnelLimits, {}),
});
export type Funnel = z.infer<typeof Funnel>;

/** Funnels and their published versions, read by funnel id alone (public routes). */
export type FunnelRepository = {
  /** Cached for at most 30 s. */
  find(funnelId: string): Promise<Funnel | undefined>;
  /** The published version, or one by its id that is published or once was; cached for the life of the function. */
  findVersion(
    funnel: Pick<Funnel, 'id' | 'publishedVersionId'>,
    versionId?: string,
  ): Promise<FunnelVersion | undefined>;
};
