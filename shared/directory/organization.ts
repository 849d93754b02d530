import * as z from 'zod';

const atMost = z.int().min(0).optional();

/** Limits of an organization in place of the service's own (decisions 11). */
export const OrganizationLimits = z.object({
  smsPerDay: atMost,
  aiTokensPerDay: atMost,
  uploadBytesPerDay: atMost,
  sessionsPerDay: atMost,
  domains: atMost,
});

const days = z.int().min(1).max(36_500).optional();

/** How long an organization keeps what its visitors and trainees leave, in days; absent: until somebody erases it. */
const Retention = z.object({
  /** Leads with their files, after their last submit; a funnel's own time is the shorter of both. */
  leadDays: days,
  /** Training calls with transcript and recording, after their creation. */
  callDays: days,
  /** Recordings alone. */
  recordingDays: days,
});
export type Retention = z.infer<typeof Retention>;

export const Organization = z.object({
  id: z.guid(),
  name: z.string(),
  timezone: z.string().default('UTC'),
  limits: OrganizationLimits.default({}),
  retention: Retention.default({}),
});
export type Organization = z.infer<typeof Organization>;

/** What an organization's own routes read of it. */
export type Organizations = {
  /** The organization's settings, cached for at most 30 s. */
  find(orgId: string): Promise<Organization | undefined>;
  /** Whether the funnel is this organization's, archived or not. */
  ownsFunnel(orgId: string, funnelId: string): Promise<boolean>;
};
