/** Ordered from least to most privileged. */
export const ROLES = ['member', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

export const hasAtLeastRole = (role: Role, required: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(required);
