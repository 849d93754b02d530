import * as z from 'zod';

const atMost = z.int().min(0).optional();

/** Limits of an organization in place of the service's own (decisions 11). */
const OrganizationLimits = z.object({
  smsPerDay: atMost,
  aiTokensPerDay: atMost,
  uploadBytesPerDay: atMost,
  sessionsPerDay: atMost,
});

export const Organization = z.object({
  id: z.guid(),
  name: z.string(),
  timezone: z.string().default('UTC'),
  limits: OrganizationLimits.default({}),
});
export type Organization = z.infer<typeof Organization>;

/** What an organization's own routes read of it. */
export type Organizations = {
  /** The organization's settings, cached for at most 30 s. */
  find(orgId: string): Promise<Organization | undefined>;
  /** Whether the funnel is this organization's, archived or not. */
  ownsFunnel(orgId: string, funnelId: string): Promise<boolean>;
};
