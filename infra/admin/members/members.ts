import { dynamoMembershipsDesk } from '../../../shared/directory/dynamo-memberships-desk.ts';
import { addMember, changeMember, type Member } from '../../../shared/directory/memberships-desk.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { systemIds } from '../../../shared/platform/ids.ts';
import { FriendlyError } from '../../local/friendly-error.ts';
import { confirm } from '../confirm.ts';
import { minuteOf } from '../leads/words.ts';
import { organizationOf } from '../organizations/store.ts';
import { printableLine } from '../printable.ts';
import { recordsClient } from '../records-client.ts';
import { tableText } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { userOf, type Who } from './who.ts';

type Json = { json?: true };
export type AddOptions = Json & Who & { role: Role };
export type ChangeOptions = AddOptions & { force?: true };
export type RemoveOptions = Json & Who & { force?: true; yes?: true };

/** Gives a user a role in an organization. */
export async function add(orgId: string, { json, role, ...who }: AddOptions, { write }: Terminal): Promise<void> {
  await organizationOf(orgId);
  const at = { orgId, userId: userOf(who) };
  const ports = { memberships: dynamoMembershipsDesk(recordsClient()), nowMs: systemClock.now };
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
  await organizationOf(orgId);
  const at = { orgId, userId: userOf(who) };
  const changed = await changeMember(changePorts(), at, role, force === true);
  if (json) return write(`${JSON.stringify({ ...at, role, changed })}\n`);
  await write(`The user ${at.userId} is ${changed ? 'now' : 'already'} ${role}.\n`);
}

/** Ends a membership, once a person agrees. */
export async function remove(
  orgId: string,
  { json, force, yes, ...who }: RemoveOptions,
  terminal: Terminal,
): Promise<void> {
  const { name } = await organizationOf(orgId);
  const at = { orgId, userId: userOf(who) };
  const ports = changePorts();
  const member = await ports.memberships.find(at);
  if (member === undefined) throw new FriendlyError('The organization has no such member.');
  await confirm(terminal, `Remove ${at.userId} (${member.role}) from ${printableLine(name)}?`, yes);
  await changeMember(ports, at, null, force === true);
  if (json) return terminal.write(`${JSON.stringify({ ...at, removed: true })}\n`);
  await terminal.write(`The user ${at.userId} is no member any more, from the next request on.\n`);
}

const changePorts = () => ({ memberships: dynamoMembershipsDesk(recordsClient()), newId: systemIds.uuid });

/** An organization's members, owners first. */
export async function list(orgId: string, { json }: Json, { columns, write, note }: Terminal): Promise<void> {
  await organizationOf(orgId);
  const members: Member[] = [];
  for await (const member of dynamoMembershipsDesk(recordsClient()).all(orgId)) members.push(member);
  members.sort((one, other) => RANK[one.role] - RANK[other.role] || (one.userId < other.userId ? -1 : 1));
  if (json) return write(`${JSON.stringify({ members })}\n`);
  if (members.length === 0) return note('Nobody may act for it yet: see members add.');
  const rows = members.map(({ userId, addedAt, role, isLeaving }) => [
    ...[userId, addedAt === null ? '' : minuteOf(addedAt)],
    isLeaving ? `${role} (a command that takes this away has not ended: repeat it)` : role,
  ]);
  await write(tableText({ head: ['USER', 'ADDED, UTC', 'ROLE'], widths: [36, 16], columns }, rows));
}

const RANK: Record<Role, number> = { owner: 0, admin: 1, member: 2 };
