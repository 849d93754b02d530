import type { Organization } from '../../../shared/organizations/organization.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { UserError } from '../../common/user-error.ts';
import { wordOf } from '../limits/names.ts';
import { formatFields } from '../terminal/format.ts';
import { printableJson, printableLine } from '../terminal/printable.ts';
import { formatTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { organizationsDesk, requireOrganization, throwUnknownOrganization } from './dependencies.ts';
import { createOrganization, type OrganizationChanges, type OrganizationCounts } from './organization-admin.ts';

type Json = { json?: true };
export type CreateOptions = Json & { name: string; timezone?: string };
export type ChangeOptions = Json & OrganizationChanges;

/** Makes an organization; its id alone is put out, for the next command. */
export async function create({ json, name, timezone }: CreateOptions, { write, note }: Terminal): Promise<void> {
  const ports = { organizations: organizationsDesk(), newId: systemIdGenerator.uuid };
  const organization = await createOrganization(ports, { name, timezone });
  if (json) return write(jsonOf(organization));
  await write(`${organization.id}\n`);
  note(`${printableLine(organization.name)}, ${organization.timezone}. Nobody may act for it yet: see members add.`);
}

/** All organizations by name. */
export async function list({ json }: Json, { columns, write, note }: Terminal): Promise<void> {
  const organizations: Organization[] = [];
  for await (const organization of organizationsDesk().list()) organizations.push(organization);
  organizations.sort((one, other) => one.name.localeCompare(other.name, 'en') || (one.id < other.id ? -1 : 1));
  if (json) return write(jsonOf({ organizations }));
  if (organizations.length === 0) return note('There are no organizations yet.');
  const rows = organizations.map(({ id, name, timezone }) => [id, printableLine(timezone), printableLine(name)]);
  await write(formatTable({ head: ['ORGANIZATION', 'ZONE', 'NAME'], widths: [36, 16], columns }, rows));
}

/** Everything that is kept of an organization itself, and how much of what belongs to it. */
export async function show(orgId: string, { json }: Json, { write }: Terminal): Promise<void> {
  const [organization, counts] = await Promise.all([
    requireOrganization(orgId),
    organizationsDesk().countResources(orgId),
  ]);
  await write(json ? jsonOf({ ...organization, counts }) : organizationText(organization, counts));
}

/** Changes what an organization is called, or where its days begin. */
export async function change(orgId: string, { json, ...options }: ChangeOptions, { write }: Terminal): Promise<void> {
  const { name, timezone } = options;
  if (name === undefined && timezone === undefined) {
    throw new UserError('Nothing was changed: give --name, --timezone, or both.');
  }
  const changed = (await organizationsDesk().update(orgId, { name, timezone })) ?? throwUnknownOrganization(orgId);
  await write(json ? jsonOf(changed) : `The organization is ${printableLine(changed.name)}, ${changed.timezone}.\n`);
}

const jsonOf = (value: object): string => `${printableJson(JSON.stringify(value))}\n`;

const organizationText = ({ id, name, timezone, limits, retention }: Organization, counts: OrganizationCounts) =>
  formatFields([
    ['id', id],
    ['name', printableLine(name)],
    ['zone', printableLine(timezone)],
    ['members', `${counts.members}`],
    ['funnels', `${counts.funnels}`],
    ['pages', `${counts.pages}`],
    ['domains', `${counts.domains}`],
    ['own limits', ownLimits(limits)],
    ['leads kept', daysText(retention.leadDays)],
    ['calls kept', daysText(retention.callDays)],
    ['recordings', daysText(retention.recordingDays)],
  ]);

const ownLimits = (limits: Organization['limits']): string => {
  const own = Object.entries(limits).map(([name, value]) => `${wordOf(name)} ${value?.toLocaleString('en')}`);
  return own.length === 0 ? "none, the service's hold" : own.join(', ');
};

const daysText = (days: number | undefined): string => (days === undefined ? 'until erased' : `${days} days`);
