import type { Organization } from '../../../shared/organizations/organization.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { UserError } from '../../common/user-error.ts';
import { collect } from '../collect.ts';
import { command, group, option, requiredOption } from '../program/command.ts';
import { organizationArgument, parseWith } from '../program/parameters.ts';
import { kebabCase } from '../terminal/format.ts';
import { Fields, table } from '../terminal/output.ts';
import { organizationRepository, requireOrganization, throwUnknownOrganization } from './dependencies.ts';
import { createOrganization, OrganizationName, TimeZone } from './organization-admin.ts';

const parseName = parseWith(OrganizationName, 'Give a name of 1 to 100 characters.');
const parseZone = parseWith(TimeZone, 'Give a zone of the IANA database such as Europe/Berlin, or UTC.');
const NAME = 'name; visitors read it as the sender of their codes';
const ZONE = 'time zone in which its days begin, from the IANA database';

const create = command({
  name: 'create',
  description: 'Creates an organization and prints its id.',
  options: {
    name: requiredOption('--name <text>', NAME, parseName),
    timezone: option('--timezone <zone>', `${ZONE} (default: UTC)`, parseZone),
  },
  json: 'one JSON object',
  help: 'Into a variable: ORG=$(npm run -s admin -- organizations create --name "Example Ltd")',
  run: async ({ name, timezone }) => {
    const ports = { organizations: organizationRepository(), newId: systemIdGenerator.uuid };
    const organization = await createOrganization(ports, { name, timezone });
    const hint = `${organization.name}, ${organization.timezone}. It has no members yet: add one with "members add".`;
    return { json: organization, text: organization.id, hints: [hint] };
  },
});

const list = command({
  name: 'list',
  description: 'Lists organizations by name.',
  json: 'one JSON object: `organizations`',
  run: async () => {
    const organizations = await collect(organizationRepository().list());
    organizations.sort((one, other) => one.name.localeCompare(other.name, 'en') || (one.id < other.id ? -1 : 1));
    const columns = [
      { head: 'ORGANIZATION', width: 36, value: ({ id }: Organization) => id },
      { head: 'ZONE', width: 16, value: ({ timezone }: Organization) => timezone },
      { head: 'NAME', value: ({ name }: Organization) => name },
    ];
    return { json: { organizations }, text: table(organizations, columns, 'There are no organizations yet.') };
  },
});

const show = command({
  name: 'show',
  description: 'Shows an organization, and how many members, funnels, pages and domains it has.',
  args: { orgId: organizationArgument },
  json: 'one JSON object',
  run: async ({ orgId }) => {
    const [organization, counts] = await Promise.all([
      requireOrganization(orgId),
      organizationRepository().countResources(orgId),
    ]);
    const { id, name, timezone, limits, retention } = organization;
    const own = Object.entries(limits).map(([limit, value]) => `${kebabCase(limit)} ${value?.toLocaleString('en')}`);
    return {
      json: { ...organization, counts },
      text: new Fields(
        ['id', id],
        ['name', name],
        ['zone', timezone],
        ...Object.entries(counts),
        ['own limits', own.join(', ') || 'none, the defaults of the service apply'],
        ['leads kept', daysText(retention.leadDays)],
        ['calls kept', daysText(retention.callDays)],
        ['recordings', daysText(retention.recordingDays)],
      ),
    };
  },
});

const daysText = (days: number | undefined): string => (days === undefined ? 'until erased' : `${days} days`);

const update = command({
  name: 'update',
  description: 'Changes the name or the time zone of an organization; takes effect within 30 seconds.',
  args: { orgId: organizationArgument },
  options: {
    name: option('--name <text>', NAME, parseName),
    timezone: option('--timezone <zone>', ZONE, parseZone),
  },
  json: 'one JSON object',
  run: async ({ orgId, name, timezone }) => {
    if (name === undefined && timezone === undefined) {
      throw new UserError('Nothing was changed: give --name, --timezone, or both.');
    }
    const updated =
      (await organizationRepository().update(orgId, { name, timezone })) ?? throwUnknownOrganization(orgId);
    return { json: updated, text: `The organization is ${updated.name}, ${updated.timezone}.` };
  },
});

export const organizations = group('organizations', 'Customers of the service: create, list, show and update them.', [
  ...[create, list, show, update],
]);
