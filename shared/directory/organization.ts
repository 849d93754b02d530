import * as z from 'zod';

export const ROLES = ['member', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Whether `role` may do what needs at least `needed`. */
export const suffices = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);

export const Organization = z.object({ id: z.uuid(), name: z.string(), timezone: z.string().default('UTC') });
export type Organization = z.infer<typeof Organization>;

export type Memberships = {
  /** The user's role in the organization, strongly consistent; undefined without a membership. */
  roleOf(orgId: string, userId: string): Promise<Role | undefined>;
};

/** What an organization's own routes read of it. */
export type Organizations = {
  /** The organization's settings, cached for at most 30 s. */
  find(orgId: string): Promise<Organization | undefined>;
  /** Whether the funnel is this organization's, archived or not. */
  ownsFunnel(orgId: string, funnelId: string): Promise<boolean>;
};
