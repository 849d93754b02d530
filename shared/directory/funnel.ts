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

/** One declared field of a published funnel version; `id` is the key in a lead's `data`. */
export const Field = z.object({
  id: z.string(),
  type: z.enum(FIELD_TYPES),
  required: z._default(z.boolean(), false),
  stepId: z._default(z.nullable(z.string()), null),
  /** Least and most: characters of text, the value of a number, the count of choices. */
  min: z.optional(z.number()),
  max: z.optional(z.number()),
  /** The allowed values of `choice` and `choices`. */
  choices: z.optional(z.array(z.string())),
  /** ISO 3166-1 alpha-2: the country of a phone number written without `+`. */
  country: z.optional(z.string().check(z.length(2))),
  /** May be verified by a code sent to it; email and phone only. */
  verifiable: z.optional(z.boolean()),
  /** The upload block that a `file` must come from; absent: any block of the funnel. */
  blockId: z.optional(z.guid()),
  /** Names the text of a `consent` that the visitor agreed to; absent: the funnel version's own. */
  textVersion: z.optional(z.string().check(z.maxLength(128))),
});
export type Field = z.infer<typeof Field>;

/** The block by which a page asks the funnel's model. */
export const AiBlock = z.object({
  id: z.guid(),
  systemPrompt: z.string(),
  /** The model's id at its provider; absent: the deployment's own choice. */
  model: z.optional(z.string()),
  outputTokensMax: z._default(z.int().check(z.minimum(1), z.maximum(4_096)), 400),
  /** Tokens a UTC day for all visitors of the funnel, those of prompts included; absent: the service's default. */
  dailyTokens: z.optional(z.int().check(z.positive())),
  /** What the built-in writer composes its answers of: the funnel's own texts. */
  texts: z._default(z.array(z.string()), []),
});
export type AiBlock = z.infer<typeof AiBlock>;

/** Of so many consents a lead's one write keeps time and text, beside 200 keys of data, within what an expression may hold. */
export const CONSENT_FIELDS_MAX = 50;

/** What a publication froze: immutable, so that it may be cached for ever. */
export const FunnelVersion = z.object({
  id: z.guid(),
  funnelId: z.guid(),
  fields: z.array(Field),
  country: z.optional(z.string().check(z.length(2))),
  ai: z.optional(AiBlock),
  /** It was stored to be published, and is not until its funnel names it: somebody else's publication may come first. */
  isCandidate: z.optional(z.boolean()),
});
export type FunnelVersion = z.infer<typeof FunnelVersion>;

/** The texts of a message with a code; `{{code}}`, `{{minutes}}` and `{{sender}}` are filled in. */
export const CodeMessage = z.object({ subject: z.string(), text: z.string(), sms: z.string() });
export type CodeMessage = z.infer<typeof CodeMessage>;

/** How the funnel's visitors are sent their codes. */
const Verification = z.object({
  /** Who writes, as visitors know it; absent: the organization's name. */
  sender: z.optional(z.string().check(z.maxLength(100))),
  /** The language of a visitor who asks for none that there is a text in. */
  language: z._default(z.string(), 'de'),
  /** Texts of the funnel's own by language; other languages have the service's. */
  messages: z._default(z.record(z.string(), CodeMessage), {}),
  /** ISO 3166-1 alpha-2: where SMS may go; absent: the country of the field or the version alone. */
  smsCountries: z.optional(z.array(z.string().check(z.length(2)))),
});

/** Limits of a funnel in place of the service's own (decisions 11). */
export const FunnelLimits = z.object({
  submitsPerMinuteAndLead: z.optional(z.int().check(z.positive())),
  aiTokensPerDay: z.optional(z.int().check(z.positive())),
  sendsPerTenMinutesAndLead: z.optional(z.int().check(z.positive())),
  sendsPerHourAndDestination: z.optional(z.int().check(z.positive())),
});
export type FunnelLimits = z.infer<typeof FunnelLimits>;

/** The funnel as public routes meet it: a pointer to its published version, and what holds for all versions. */
export const Funnel = z.object({
  id: z.guid(),
  orgId: z.guid(),
  publishedVersionId: z.nullable(z.guid()),
  /** ISO 8601; set while the funnel is not published. `publishedVersionId` then names the last published version. */
  unpublishedAt: z._default(z.nullable(z.string()), null),
  archivedAt: z._default(z.nullable(z.string()), null),
  /** Origins whose pages may post; empty: any. */
  allowedOrigins: z._default(z.array(z.string()), []),
  /** Days after the last submit until a lead expires; absent: kept. */
  leadRetentionDays: z.optional(z.int().check(z.positive())),
  verification: z.prefault(Verification, {}),
  limits: z._default(FunnelLimits, {}),
});
export type Funnel = z.infer<typeof Funnel>;

/** Funnels and their published versions, read by funnel id alone (public routes). */
export type Funnels = {
  /** Cached for at most 30 s. */
  find(funnelId: string): Promise<Funnel | undefined>;
  /** The published version, or one by its id that is published or once was; cached for the life of the function. */
  version(funnel: Pick<Funnel, 'id' | 'publishedVersionId'>, versionId?: string): Promise<FunnelVersion | undefined>;
};
