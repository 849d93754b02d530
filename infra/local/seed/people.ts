import type { Role } from '../../../shared/organizations/membership.ts';
import type { Issuer } from '../oidc/issuer.ts';

type Membership = { organization: 'a' | 'b'; role: Role };

/** The users of the demo, with the subjects of their tokens and their memberships. */
export const PEOPLE = {
  ownerA: { subject: 'owner-a', memberships: [{ organization: 'a', role: 'owner' }] },
  adminA: { subject: 'admin-a', memberships: [{ organization: 'a', role: 'admin' }] },
  memberA: { subject: 'member-a', memberships: [{ organization: 'a', role: 'member' }] },
  secondMemberA: { subject: 'second-member-a', memberships: [{ organization: 'a', role: 'member' }] },
  adminAB: {
    subject: 'admin-ab',
    memberships: [
      { organization: 'a', role: 'admin' },
      { organization: 'b', role: 'admin' },
    ],
  },
  adminB: { subject: 'admin-b', memberships: [{ organization: 'b', role: 'admin' }] },
  outsider: { subject: 'outsider', memberships: [] },
} as const satisfies Record<string, { subject: string; memberships: readonly Membership[] }>;

export type DemoTokens = Record<keyof typeof PEOPLE | 'expired', string>;

const LIFE_SECONDS = 8 * 3600;

/** Creates tokens that are valid for eight hours, and `expired`, a token of member A that expired an hour ago. */
export async function demoTokens(issuer: Issuer): Promise<DemoTokens> {
  const sign = (who: keyof typeof PEOPLE, expiresInSeconds = LIFE_SECONDS) =>
    issuer.sign(PEOPLE[who].subject, { expiresInSeconds });
  return {
    ownerA: await sign('ownerA'),
    adminA: await sign('adminA'),
    memberA: await sign('memberA'),
    secondMemberA: await sign('secondMemberA'),
    adminAB: await sign('adminAB'),
    adminB: await sign('adminB'),
    outsider: await sign('outsider'),
    expired: await sign('memberA', -3600),
  };
}
