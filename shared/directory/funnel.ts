import * as z from 'zod';

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
  required: z.boolean().default(false),
  stepId: z.string().nullable().default(null),
  /** Least and most: characters of text, the value of a number, the count of choices. */
  min: z.number().optional(),
  max: z.number().optional(),
  /** The allowed values of `choice` and `choices`. */
  choices: z.array(z.string()).optional(),
  /** ISO 3166-1 alpha-2: the country of a phone number written without `+`. */
  country: z.string().length(2).optional(),
  /** May be verified by a code sent to it; email and phone only. */
  verifiable: z.boolean().optional(),
});
export type Field = z.infer<typeof Field>;

/** What a publication froze: immutable, so that it may be cached for ever. */
export const FunnelVersion = z.object({
  id: z.guid(),
  funnelId: z.guid(),
  fields: z.array(Field),
  country: z.string().length(2).optional(),
});
export type FunnelVersion = z.infer<typeof FunnelVersion>;

/** The funnel as public routes meet it: a pointer to its published version, and what holds for all versions. */
export const Funnel = z.object({
  id: z.guid(),
  orgId: z.guid(),
  publishedVersionId: z.guid().nullable(),
  /** ISO 8601; set while the funnel is not published. `publishedVersionId` then names the last published version. */
  unpublishedAt: z.string().nullable().default(null),
  archivedAt: z.string().nullable().default(null),
  /** Origins whose pages may post; empty: any. */
  allowedOrigins: z.array(z.string()).default([]),
  /** Days after the last submit until a lead expires; absent: kept. */
  leadRetentionDays: z.number().int().positive().optional(),
});
export type Funnel = z.infer<typeof Funnel>;

/** Funnels and their published versions, read by funnel id alone (public routes). */
export type Funnels = {
  /** Cached for at most 30 s. */
  find(funnelId: string): Promise<Funnel | undefined>;
  /** A version that was once published, cached for the life of the function. */
  version(funnelId: string, versionId: string): Promise<FunnelVersion | undefined>;
};
