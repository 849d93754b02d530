import type { Role } from '../../../shared/organizations/membership.ts';

/** A membership, for operators. */
export type Member = {
  userId: string;
  role: Role;
  /** ISO 8601 UTC with milliseconds; null for old records without it. */
  addedAt: string | null;
  /** An owner whose removal or demotion is in progress, or was interrupted. */
  isBeingRemoved: boolean;
};

export type MemberKey = { orgId: string; userId: string };

/** Memberships, strongly consistent. Each write is one conditional write; it returns false when nothing was written. */
export type MembershipAdminRepository = {
  list(orgId: string): AsyncIterable<Member>;
  find(at: MemberKey): Promise<Member | undefined>;
  /** False: the membership exists. */
  add(at: MemberKey, member: Pick<Member, 'role'> & { addedAt: string }): Promise<boolean>;
  /** Marks an owner for removal, replacing an earlier mark. False: not an owner. */
  markForRemoval(at: MemberKey, mark: string): Promise<boolean>;
  /** Removes the mark, if it is still this one. */
  clearRemovalMark(at: MemberKey, mark: string): Promise<boolean>;
  /** Writes a role, or removes the membership (null), and removes marks. False: role or mark is not `from` any more. */
  write(at: MemberKey, to: Role | null, from: { role: Role; mark?: string }): Promise<boolean>;
};

type Ports = { memberships: MembershipAdminRepository; newId: () => string };

/**
 * Adds a member.
 *
 * @returns false when the user already has this role
 * @throws Error when the user has another role
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
    ? concurrentChange()
    : new Error(`The user is already a member, as ${found.role}: use "members update" to change the role.`);
}

/**
 * Gives a member another role, or removes the membership. The last owner stays, also when several commands remove owners
 * concurrently: each first marks its owner, then looks for another owner without a mark. The last to mark sees all
 * earlier marks, so at least one command finds no other owner and fails. A killed command leaves its mark: other commands
 * don't count that owner, until a command completes the change or sets the role again.
 *
 * @param to null removes
 * @param force also removes the last owner
 * @returns whether anything was changed
 * @throws Error for an unknown member, for the last owner, and when another command changed the membership
 */
export async function updateMember(ports: Ports, at: MemberKey, to: Role | null, force: boolean): Promise<boolean> {
  const { memberships } = ports;
  const member = await memberships.find(at);
  if (member === undefined) throw unknownMember(at.userId);
  if (member.role === to && !member.isBeingRemoved) return false;
  const removesAnOwner = member.role === 'owner' && to !== 'owner';
  const mark = removesAnOwner && !force ? await markUnlessLastOwner(ports, at) : undefined;
  const written = await memberships.write(at, to, { role: member.role, ...(mark !== undefined && { mark }) });
  // The SDK retries a write whose response was lost; the retry then fails its condition.
  if (!written && ((await memberships.find(at))?.role ?? null) !== to) throw concurrentChange();
  return true;
}

/** Marks the owner. @returns the mark, when there is another owner without one */
async function markUnlessLastOwner({ memberships, newId }: Ports, at: MemberKey): Promise<string> {
  const mark = newId();
  if (!(await memberships.markForRemoval(at, mark))) throw concurrentChange();
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
      : 'Every other owner is being removed by a command that has not ended (see "members list")';
  throw new Error(`${why}: add another owner first, or use --force.`);
}

export const unknownMember = (userId: string) =>
  new Error(`The organization has no member ${userId}: see "members list".`);

const concurrentChange = () =>
  new Error('Another command changed this membership at the same time: check it and try again.');
