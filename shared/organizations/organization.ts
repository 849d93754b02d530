import * as z from 'zod/mini';

const atMost = z.optional(z.int().check(z.minimum(0)));

/** Limits that replace the service's defaults. */
export const OrganizationLimits = z.object({
  smsPerDay: atMost,
  aiTokensPerDay: atMost,
  uploadBytesPerDay: atMost,
  sessionsPerDay: atMost,
  domains: atMost,
});

const days = z.optional(z.int().check(z.minimum(1), z.maximum(36_500)));

/** How long an organization stores data, in days. Without a period, data is stored until a command erases it. */
const RetentionPeriods = z.object({
  /**
   * Period of leads and their files, from the last submit of the lead. If the funnel has a period of its own, the
   * shorter period applies.
   */
  leadDays: days,
  /** Period of training calls, their transcripts and their recordings, from the creation of the call. */
  callDays: days,
  /** Period of recordings, from the creation of the call. */
  recordingDays: days,
});
export type RetentionPeriods = z.infer<typeof RetentionPeriods>;

export const DEFAULT_TIME_ZONE = 'UTC';

export const Organization = z.object({
  id: z.guid(),
  name: z.string(),
  timezone: z._default(z.string(), DEFAULT_TIME_ZONE),
  limits: z._default(OrganizationLimits, {}),
  retention: z._default(RetentionPeriods, {}),
});
export type Organization = z.infer<typeof Organization>;
