import * as z from 'zod/mini';
import { humanText } from '../../../shared/http/schemas.ts';
import { Organization } from '../../../shared/organizations/organization.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { isTimeZone } from '../../../shared/platform/time-zone.ts';
import { command, group, option, requiredOption } from '../program/command.ts';
import { organizationArgument, parseWith } from '../program/parameters.ts';
import { kebabCase } from '../terminal/format.ts';
import { Fields, table } from '../terminal/output.ts';
import {
  createDynamoOrganizationAdminRepository as createRepository,
  requireOrganization,
  throwUnknownOrganization,
} from './dynamo-organization-admin-repository.ts';

const parseName = parseWith(humanText(1, 100), 'Give a name of 1 to 100 characters.');
const parseZone = parseWith(
  z.string().check(z.maxLength(100), z.refine(isTimeZone)),
  'Give a time zone of the IANA database, such as Europe/Berlin or UTC.',
);
const NAME =
  'name of the organization, 1 to 100 characters; visitors see this name as the sender of verification codes, unless ' +
  'the funnel file sets `verification.sender`';
const ZONE = 'IANA name of the time zone in which days begin in analytics, such as Europe/Berlin';

const create = command({
  name: 'create',
  description: 'Creates an organization and prints its id.',
  options: {
    name: requiredOption('--name <text>', NAME, parseName),
    timezone: option('--timezone <zone>', `${ZONE} (default: UTC)`, parseZone),
  },
  json: 'one JSON object: the organization',
  help: `To store the organization id in a shell variable:
  ORG=$(npm run -s admin -- organizations create --name "Example Ltd")`,
  run: async ({ name, timezone }) => {
    const organization = Organization.parse({ id: systemIdGenerator.uuid(), name, timezone });
    await createRepository().add(organization);
    const hint =
      `Created ${organization.name} with the time zone ${organization.timezone}. ` +
      'To add the first member, use "members add".';
    return { json: organization, text: organization.id, hints: [hint] };
  },
});

const list = command({
  name: 'list',
  description: 'Lists all organizations, ordered by name.',
  json: 'one JSON object: `organizations`',
  run: async () => {
    const organizations = await createRepository().list();
    organizations.sort((one, other) => one.name.localeCompare(other.name, 'en') || (one.id < other.id ? -1 : 1));
    const text = table(
      organizations,
      [
        { head: 'ORGANIZATION', width: 36, value: ({ id }) => id },
        { head: 'ZONE', width: 16, value: ({ timezone }) => timezone },
        { head: 'NAME', value: ({ name }) => name },
      ],
      'There are no organizations yet.',
    );
    return { json: { organizations }, text };
  },
});

const show = command({
  name: 'show',
  description: 'Shows an organization, and how many members, funnels, pages and domains it has.',
  args: { orgId: organizationArgument },
  json: 'one JSON object: the organization, with `counts` of its members, funnels, pages and domains',
  run: async ({ orgId }) => {
    const organization = await requireOrganization(orgId);
    const counts = await createRepository().countResources(orgId);
    const { id, name, timezone, limits, retention } = organization;
    const own = Object.entries(limits).map(([limit, value]) => `${kebabCase(limit)} ${value?.toLocaleString('en')}`);
    return {
      json: { ...organization, counts },
      text: new Fields(
        ['id', id],
        ['name', name],
        ['zone', timezone],
        ...Object.entries(counts),
        ['own limits', own.join(', ') || 'none: the defaults of the service apply'],
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
  description: 'Changes the name or the time zone of an organization, effective within 30 seconds.',
  args: { orgId: organizationArgument },
  options: {
    name: option('--name <text>', NAME, parseName),
    timezone: option('--timezone <zone>', ZONE, parseZone),
  },
  json: 'one JSON object: the organization',
  help: 'Give --name, --timezone, or both.',
  check: ({ name, timezone }) =>
    name === undefined && timezone === undefined ? 'give --name, --timezone, or both' : undefined,
  run: async ({ orgId, name, timezone }) => {
    const updated = (await createRepository().update(orgId, { name, timezone })) ?? throwUnknownOrganization(orgId);
    return { json: updated, text: `The organization is now ${updated.name}, with the time zone ${updated.timezone}.` };
  },
});

export const organizations = group('organizations', 'Tenants of the service: create, list, show and update them.', [
  ...[create, list, show, update],
]);
