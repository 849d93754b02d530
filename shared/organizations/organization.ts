import * as z from 'zod/mini';

const atMost = z.optional(z.int().check(z.minimum(0)));

/** Replace the service's default limits. */
export const OrganizationLimits = z.object({
  smsPerDay: atMost,
  aiTokensPerDay: atMost,
  uploadBytesPerDay: atMost,
  sessionsPerDay: atMost,
  domains: atMost,
});

const days = z.optional(z.int().check(z.minimum(1), z.maximum(36_500)));

/** How long an organization stores data, in days; absent: until it is erased by a command. */
const RetentionPeriods = z.object({
  /** Leads with their files, from the last submit. The shorter of this and the funnel's period applies. */
  leadDays: days,
  /** Training calls with transcript and recording, from their creation. */
  callDays: days,
  /** Recordings only. */
  recordingDays: days,
});
export type RetentionPeriods = z.infer<typeof RetentionPeriods>;

export const Organization = z.object({
  id: z.guid(),
  name: z.string(),
  timezone: z._default(z.string(), 'UTC'),
  limits: z._default(OrganizationLimits, {}),
  retention: z._default(RetentionPeriods, {}),
});
export type Organization = z.infer<typeof Organization>;
