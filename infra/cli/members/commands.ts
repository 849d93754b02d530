import type { Role } from '../../../shared/organizations/membership.ts';
import { ROLES } from '../../../shared/organizations/membership.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { requireOrganization } from '../organizations/dynamo-organization-admin-repository.ts';
import { listOfOrganization } from '../organizations/list-command.ts';
import { command, flag, group, requiredChoice } from '../program/command.ts';
import { organizationArgument, yes } from '../program/parameters.ts';
import { formatMinute } from '../terminal/format.ts';
import { createDynamoMembershipAdminRepository } from './dynamo-membership-admin.ts';
import { addMember, unknownMember, updateMember } from './membership-admin.ts';
import { checkUser, resolveUserId, userOptions } from './user-options.ts';

const args = { orgId: organizationArgument };
const json = 'one JSON object: `orgId`, `userId`, `role`, and `changed` (false if the user already had the role)';
const role = requiredChoice('--role <role>', 'role in the organization', ROLES);
const force = (what: string) => flag('--force', `${what}, even if the member is the last owner`);
const userHelp = 'Give either --subject or --user.';
const help = `${userHelp}
Roles, and what each role permits in the API:
  member  reads analytics and their own calls, and opens training sessions
  admin   also reads all calls, creates cases, copies pages, removes domains,
          and manages webhook endpoints and notification addresses
  owner   has the same permissions as an admin`;
const lastOwner = 'The last owner cannot be removed or get another role, except with --force.';

const memberships = () => createDynamoMembershipAdminRepository();
const ports = () => ({ memberships: memberships(), newId: systemIdGenerator.uuid, nowMs: systemClock.now });

const add = command({
  name: 'add',
  description: 'Adds a user to an organization with a role, effective with the next request of the user.',
  args,
  json,
  help: `${help}\nIf the user is already a member with another role, use "members update".`,
  check: checkUser,
  options: { ...userOptions, role },
  run: async ({ orgId, role: to, ...user }) => {
    await requireOrganization(orgId);
    const at = { orgId, userId: resolveUserId(user) };
    const changed = await addMember(ports(), at, to);
    const text = `The user ${at.userId} is ${changed ? 'now' : 'already'} a member, as ${to}.`;
    return { json: { ...at, role: to, changed }, text };
  },
});

const RANK: Record<Role, number> = { owner: 0, admin: 1, member: 2 };

const INTERRUPTED = 'change not complete: if no command is running, repeat "members remove" or "members update"';

const list = listOfOrganization({
  name: 'members',
  description: 'Lists the members of an organization, owners first.',
  list: (orgId) => memberships().list(orgId),
  compare: (one, other) => RANK[one.role] - RANK[other.role] || (one.userId < other.userId ? -1 : 1),
  columns: [
    { head: 'USER', width: 36, value: ({ userId }) => userId },
    { head: 'ADDED, UTC', width: 16, value: ({ addedAt }) => (addedAt === null ? '' : formatMinute(addedAt)) },
    { head: 'ROLE', value: ({ role: to, isBeingRemoved }) => (isBeingRemoved ? `${to} (${INTERRUPTED})` : to) },
  ],
  empty: 'There are no members yet: add one with "members add".',
});

const update = command({
  name: 'update',
  description: 'Gives a member another role, effective with the next request of the user.',
  args,
  json,
  help: `${help}\n${lastOwner}`,
  check: checkUser,
  options: { ...userOptions, role, force: force('change the role') },
  run: async ({ orgId, role: to, force: isForced, ...user }) => {
    await requireOrganization(orgId);
    const at = { orgId, userId: resolveUserId(user) };
    const changed = await updateMember(ports(), at, to, isForced);
    return {
      json: { ...at, role: to, changed },
      text: `The user ${at.userId} is ${changed ? 'now' : 'already'} ${to}.`,
    };
  },
});

const remove = command({
  name: 'remove',
  description: 'Removes a member, effective with the next request of the user.',
  args,
  json: 'one JSON object: `orgId`, `userId`, `removed`',
  help: `${userHelp}\n${lastOwner}`,
  check: checkUser,
  options: { ...userOptions, force: force('remove the membership'), yes },
  run: async ({ orgId, force: isForced, yes: isConfirmed, ...user }, { confirm }) => {
    const { name } = await requireOrganization(orgId);
    const at = { orgId, userId: resolveUserId(user) };
    const member = await memberships().find(at);
    if (member === undefined) throw unknownMember(at.userId);
    await confirm(`Remove the user ${at.userId} (${member.role}) from ${name}?`, isConfirmed);
    await updateMember(ports(), at, null, isForced);
    const text = `The user ${at.userId} is no longer a member, effective with the next request.`;
    return { json: { ...at, removed: true }, text };
  },
});

export const members = group('members', 'Members of organizations: add, list, update and remove them.', [
  ...[add, list, update, remove],
]);
