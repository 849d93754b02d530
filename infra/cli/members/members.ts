import type { Role } from '../../../shared/organizations/membership.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { UserError } from '../../common/user-error.ts';
import { recordsClient } from '../environment/records-client.ts';
import { formatMinute } from '../leads/format.ts';
import { requireOrganization } from '../organizations/dependencies.ts';
import { confirm } from '../terminal/confirm.ts';
import { printableLine } from '../terminal/printable.ts';
import { formatTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { createDynamoMembershipAdminRepository } from './dynamo-membership-admin.ts';
import { addMember, type Member, updateMember } from './membership-admin.ts';
import { userOf, type Who } from './user-options.ts';

type Json = { json?: true };
export type AddOptions = Json & Who & { role: Role };
export type ChangeOptions = AddOptions & { force?: true };
export type RemoveOptions = Json & Who & { force?: true; yes?: true };

/** Gives a user a role in an organization. */
export async function add(orgId: string, { json, role, ...who }: AddOptions, { write }: Terminal): Promise<void> {
  await requireOrganization(orgId);
  const at = { orgId, userId: userOf(who) };
  const ports = { memberships: createDynamoMembershipAdminRepository(recordsClient()), nowMs: systemClock.now };
  const changed = await addMember(ports, at, role);
  if (json) return write(`${JSON.stringify({ ...at, role, changed })}\n`);
  await write(`The user ${at.userId} is ${changed ? 'now' : 'already'} a member, as ${role}.\n`);
}

/** Gives a member another role. */
export async function change(
  orgId: string,
  { json, role, force, ...who }: ChangeOptions,
  { write }: Terminal,
): Promise<void> {
  await requireOrganization(orgId);
  const at = { orgId, userId: userOf(who) };
  const changed = await updateMember(changePorts(), at, role, force === true);
  if (json) return write(`${JSON.stringify({ ...at, role, changed })}\n`);
  await write(`The user ${at.userId} is ${changed ? 'now' : 'already'} ${role}.\n`);
}

/** Ends a membership, once a person agrees. */
export async function remove(
  orgId: string,
  { json, force, yes, ...who }: RemoveOptions,
  terminal: Terminal,
): Promise<void> {
  const { name } = await requireOrganization(orgId);
  const at = { orgId, userId: userOf(who) };
  const ports = changePorts();
  const member = await ports.memberships.find(at);
  if (member === undefined) throw new UserError('The organization has no such member.');
  await confirm(terminal, `Remove ${at.userId} (${member.role}) from ${printableLine(name)}?`, yes);
  await updateMember(ports, at, null, force === true);
  if (json) return terminal.write(`${JSON.stringify({ ...at, removed: true })}\n`);
  await terminal.write(`The user ${at.userId} is no member any more, from the next request on.\n`);
}

const changePorts = () => ({
  memberships: createDynamoMembershipAdminRepository(recordsClient()),
  newId: systemIdGenerator.uuid,
});

/** An organization's members, owners first. */
export async function list(orgId: string, { json }: Json, { columns, write, note }: Terminal): Promise<void> {
  await requireOrganization(orgId);
  const members: Member[] = [];
  for await (const member of createDynamoMembershipAdminRepository(recordsClient()).list(orgId)) members.push(member);
  members.sort((one, other) => RANK[one.role] - RANK[other.role] || (one.userId < other.userId ? -1 : 1));
  if (json) return write(`${JSON.stringify({ members })}\n`);
  if (members.length === 0) return note('Nobody may act for it yet: see members add.');
  const rows = members.map(({ userId, addedAt, role, isBeingRemoved: isLeaving }) => [
    ...[userId, addedAt === null ? '' : formatMinute(addedAt)],
    isLeaving ? `${role} (a command that takes this away has not ended: repeat it)` : role,
  ]);
  await write(formatTable({ head: ['USER', 'ADDED, UTC', 'ROLE'], widths: [36, 16], columns }, rows));
}

const RANK: Record<Role, number> = { owner: 0, admin: 1, member: 2 };
