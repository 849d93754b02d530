import type { Role } from '../../../shared/organizations/membership.ts';

export type Member = {
  userId: string;
  role: Role;
  /** ISO 8601 UTC with milliseconds; null in old records. */
  addedAt: string | null;
  /** Whether the removal or demotion of this owner is in progress or was interrupted. */
  isBeingRemoved: boolean;
};

export type MemberKey = { orgId: string; userId: string };

/**
 * Reads are strongly consistent. Each other method makes one conditional write, and returns false if it wrote nothing.
 */
export type MembershipAdminRepository = {
  list(orgId: string): AsyncIterable<Member>;
  find(at: MemberKey): Promise<Member | undefined>;
  /** @returns false if the membership exists */
  add(at: MemberKey, member: Pick<Member, 'role'> & { addedAt: string }): Promise<boolean>;
  /** Marks an owner for removal, and replaces an earlier mark. @returns false if the member is not an owner */
  markForRemoval(at: MemberKey, mark: string): Promise<boolean>;
  /** Removes this mark. @returns false if the member has no mark or another mark */
  clearRemovalMark(at: MemberKey, mark: string): Promise<boolean>;
  /**
   * If `to` is null, removes the membership. Otherwise, writes the role and removes a mark.
   *
   * @returns false if the member no longer has the role or the mark of `from`
   */
  write(at: MemberKey, to: Role | null, from: { role: Role; mark?: string }): Promise<boolean>;
};

type Ports = { memberships: MembershipAdminRepository; newId: () => string };

/**
 * Adds a member.
 *
 * @returns false if the user already has this role
 * @throws Error if the user has another role, or another command changed the membership
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
 * Gives a member another role, or removes the membership. Without `force`, protects the last owner: first marks the
 * owner that it changes, and then fails if all other owners are marked. Therefore, concurrent commands cannot remove
 * all owners. If a command is killed, its mark stays until another command removes the member or sets their role.
 *
 * @param to null removes the membership
 * @param force changes or removes the member even if they are the last owner
 * @returns whether anything was changed
 * @throws Error if the user is not a member, or another command changed the membership. Without `force`, also throws if
 *   no unmarked owner would stay
 */
export async function updateMember(ports: Ports, at: MemberKey, to: Role | null, force: boolean): Promise<boolean> {
  const { memberships } = ports;
  const member = await memberships.find(at);
  if (member === undefined) throw unknownMember(at.userId);
  if (member.role === to && !member.isBeingRemoved) return false;
  const removesAnOwner = member.role === 'owner' && to !== 'owner';
  const mark = removesAnOwner && !force ? await markUnlessLastOwner(ports, at) : undefined;
  const written = await memberships.write(at, to, { role: member.role, ...(mark !== undefined && { mark }) });
  // If the response of a successful write was lost, the SDK repeats the write, and the condition of the repetition
  // fails. The member then already has the role `to`, so this is not an error.
  if (!written && ((await memberships.find(at))?.role ?? null) !== to) throw concurrentChange();
  return true;
}

/**
 * Marks the owner for removal.
 *
 * @returns the mark
 * @throws Error if no unmarked owner would stay (the new mark is then removed), or after a concurrent change
 */
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
      : 'Every other owner is being removed or changed by a command that is not complete (see "members list")';
  throw new Error(`${why}: add another owner first, or use --force.`);
}

export const unknownMember = (userId: string) =>
  new Error(`The organization has no member ${userId}: see "members list".`);

const concurrentChange = () =>
  new Error('Another command changed this member at the same time: check "members list" and try again.');
