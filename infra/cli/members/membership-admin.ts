import type { Role } from '../../../shared/organizations/membership.ts';

/** A user's membership as operators see it. */
export type Member = {
  userId: string;
  role: Role;
  /** ISO 8601 UTC with milliseconds; null where nobody noted it. */
  addedAt: string | null;
  /** An owner whom a command is about to take that role from, or began to and did not end. */
  isBeingRemoved: boolean;
};

/** Whose membership, and where. */
export type MemberKey = { orgId: string; userId: string };

/** Memberships as they are now, never as of earlier. Each write is one, and conditional: false says that nothing was written. */
export type MembershipAdminRepository = {
  list(orgId: string): AsyncIterable<Member>;
  find(at: MemberKey): Promise<Member | undefined>;
  /** False: there is a membership already. */
  add(at: MemberKey, member: Pick<Member, 'role'> & { addedAt: string }): Promise<boolean>;
  /** Marks an owner as leaving, in place of an earlier mark. False: no owner. */
  markForRemoval(at: MemberKey, mark: string): Promise<boolean>;
  /** Takes the mark away again, if it is still this one. */
  clearRemovalMark(at: MemberKey, mark: string): Promise<boolean>;
  /** Writes a role, or removes the membership (null); marks go. False: the role is not `from` any more, or the mark another. */
  write(at: MemberKey, to: Role | null, from: { role: Role; mark?: string }): Promise<boolean>;
};

type Ports = { memberships: MembershipAdminRepository; newId: () => string };

/**
 * Makes a user a member.
 *
 * @returns whether they were none before; a member of this role stays as it is
 * @throws Error with a sentence for a member of another role
 */
export async function addMember(
  { memberships, nowMs }: { memberships: MembershipAdminRepository; nowMs: () => number },
  at: MemberKey,
  role: Role,
): Promise<boolean> {
  if (await memberships.add(at, { role, addedAt: new Date(nowMs()).toISOString() })) return true;
  const found = await memberships.find(at);
  if (found?.role === role) return false;
  throw found === undefined
    ? changedMeanwhile()
    : new Error(`The user is a member already, as ${found.role}: "members update" gives another role.`);
}

/**
 * Gives a member another role, or removes the membership. The last owner stays, also when several operators take owners
 * away at once: each first marks the one it takes away, and then looks for another owner without a mark. Whoever marks
 * last sees all the marks before, so that not all of them can find one; it may be that none does, and is told to try again. A
 * command that was killed leaves a mark: that owner counts as leaving for others, and still is one for the API, until a
 * command ends the change or gives them the role anew. What is written past these commands nobody can guard, as one
 * write can't look at two records without a transaction.
 *
 * @param to null removes
 * @param force takes the last owner too
 * @returns whether anything was changed
 * @throws Error with a sentence when there is no such member, for the last owner, and when somebody else was quicker
 */
export async function updateMember(ports: Ports, at: MemberKey, to: Role | null, force: boolean): Promise<boolean> {
  const { memberships } = ports;
  const member = await memberships.find(at);
  if (member === undefined) throw new Error('The organization has no such member.');
  if (member.role === to && !member.isBeingRemoved) return false;
  const takesAnOwner = member.role === 'owner' && to !== 'owner';
  const mark = takesAnOwner && !force ? await markedBesideAnother(ports, at) : undefined;
  const written = await memberships.write(at, to, { role: member.role, ...(mark !== undefined && { mark }) });
  // A write whose answer was lost is repeated, and does not find what it has changed.
  if (!written && ((await memberships.find(at))?.role ?? null) !== to) throw changedMeanwhile();
  return true;
}

/** @returns the mark that the owner now has, while there is another one without any */
async function markedBesideAnother({ memberships, newId }: Ports, at: MemberKey): Promise<string> {
  const mark = newId();
  if (!(await memberships.markForRemoval(at, mark))) throw changedMeanwhile();
  let others = 0;
  for await (const { userId, role, isBeingRemoved: isLeaving } of memberships.list(at.orgId)) {
    if (userId === at.userId || role !== 'owner') continue;
    if (!isLeaving) return mark;
    others += 1;
  }
  await memberships.clearRemovalMark(at, mark);
  const why =
    others === 0
      ? 'This is the last owner'
      : 'Each other owner is being taken away by a command that has not ended (see members list)';
  throw new Error(`${why}: make another owner first, or go on with --force.`);
}

const changedMeanwhile = () =>
  new Error('Somebody else has changed this membership meanwhile: look at it and try again.');
