import { UserError } from '../../common/user-error.ts';
import { recordsClient } from '../environment/records-client.ts';
import { throwUnknownOrganization } from '../organizations/dependencies.ts';
import { formatTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { createDynamoLimitAdminRepository } from './dynamo-limit-admin.ts';
import { createDynamoLimitUsageReader } from './dynamo-limit-usage.ts';
import {
  type EffectiveLimit,
  getEffectiveFunnelLimits,
  getEffectiveOrganizationLimits,
  type LimitChanges,
  type LimitName,
  type LimitOwner,
} from './effective-limits.ts';
import { wordOf } from './names.ts';

type Json = { json?: true };

const WHOSE =
  'service: what every customer has; own: set for this one, by limits set or a file; ai block: of the funnel’s file.';

/** What holds for an organization or a funnel, and what is used of it today. */
export async function show(owner: LimitOwner, options: Json, terminal: Terminal): Promise<void> {
  await tell(owner, options, terminal);
  if (!options.json) terminal.note(WHOSE);
}

async function tell({ kind, id }: LimitOwner, { json }: Json, { columns, write }: Terminal): Promise<void> {
  const limits = kind === 'organization' ? await ofOrganization(id) : await ofFunnel(id);
  await write(json ? `${JSON.stringify({ [kind]: id, limits })}\n` : limitsText(limits, columns));
}

async function ofOrganization(orgId: string) {
  const organization =
    (await createDynamoLimitAdminRepository(recordsClient()).organization(orgId)) ?? throwUnknownOrganization(orgId);
  return getEffectiveOrganizationLimits(createDynamoLimitUsageReader(), organization);
}

async function ofFunnel(funnelId: string) {
  const found = await createDynamoLimitAdminRepository(recordsClient()).funnel(funnelId);
  if (found === undefined) throw noFunnel(funnelId);
  return getEffectiveFunnelLimits(createDynamoLimitUsageReader(), found.funnel, found.aiBlock);
}

/** Gives limits of its own, or takes them away, and shows what holds then. */
export async function set(owner: LimitOwner, changes: LimitChanges, options: Json, terminal: Terminal): Promise<void> {
  const { kind, id } = owner;
  if (!(await createDynamoLimitAdminRepository(recordsClient()).update(owner, changes))) {
    throw kind === 'funnel' ? noFunnel(id) : throwUnknownOrganization(id);
  }
  await tell(owner, options, terminal);
  terminal.note(`Within 30 seconds this holds everywhere.${kind === 'funnel' ? FILES_WIN : ''}`);
}

const FILES_WIN = " What the funnel's file says replaces it with the next publication.";

const noFunnel = (funnelId: string) => new UserError(`There is no funnel ${funnelId}.`);

function limitsText(limits: Partial<Record<LimitName, EffectiveLimit>>, columns: number | undefined): string {
  const rows = Object.entries(limits).map(([name, { limit, whose, usedToday }]) => [
    ...[wordOf(name), limit.toLocaleString('en'), whose],
    usedToday === null ? (name === 'domains' ? 'see domains list' : 'counted one by one') : usedText(usedToday, limit),
  ]);
  const head = ['LIMIT', 'HOLDS', 'WHOSE', 'USED TODAY, UTC'];
  return formatTable({ head, widths: [30, 15, 8], columns, aligns: ['left', 'right', 'left', 'left'] }, rows);
}

const usedText = (used: number, limit: number): string =>
  `${used.toLocaleString('en')}${used === 0 || limit === 0 ? '' : ` (${Math.floor((100 * used) / limit)}%)`}`;
