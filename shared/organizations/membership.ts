/** From least to most. */
export const ROLES = ['member', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Whether `role` may do what needs at least `needed`. */
export const hasAtLeastRole = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);

export type MembershipRepository = {
  /** The user's role in the organization, strongly consistent; undefined without a membership. */
  findRole(orgId: string, userId: string): Promise<Role | undefined>;
};
