import type { CustomDomain } from '../../../shared/domains/domain.ts';
import { requestRemoval } from '../../../shared/domains/request-removal.ts';
import { HttpError } from '../../../shared/http/errors.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import { UserError } from '../../common/user-error.ts';
import { followUpCommand } from '../environment/environment-options.ts';
import { recordsClient } from '../environment/records-client.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { requireOrganization } from '../organizations/dependencies.ts';
import { confirm } from '../terminal/confirm.ts';
import { formatCount } from '../terminal/format.ts';
import { printableLine } from '../terminal/printable.ts';
import { formatTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { bindPage, unbindPage } from './bind-page.ts';
import { dnsUrl, jsonOf } from './claims.ts';
import { domainOf, domainPorts, removalRequestPorts } from './dependencies.ts';
import { listDomains } from './dynamo-domain-list.ts';
import { follow } from './follow.ts';
import { domainText } from './format.ts';
import { txtRecordFor } from './verify-domain.ts';

type Json = { json?: true };
export type RemoveOptions = EnvironmentOptions & Json & { dryRun?: true; wait?: true; yes?: true };

/** An organization's domains by hostname, those that are being removed too. */
export async function list(orgId: string, { json }: Json, { columns, write, note }: Terminal): Promise<void> {
  await requireOrganization(orgId);
  const domains: CustomDomain[] = [];
  for await (const domain of listDomains(recordsClient(), orgId)) domains.push(domain);
  domains.sort((one, other) => (one.hostname < other.hostname ? -1 : 1));
  if (json) return write(jsonOf({ domains }));
  if (domains.length === 0) return note('There are no domains yet: see domains add.');
  const rows = domains.map(({ id, status, pageIds, hostname }) => [
    ...[id, status, String(pageIds.length)],
    printableLine(hostname),
  ]);
  const layout = { head: ['DOMAIN', 'STATUS', 'PAGES', 'HOSTNAME'], widths: [36, 8, 5], columns };
  await write(formatTable(layout, rows));
}

/** Everything that is kept of a domain, and how far its set-up or removal is. */
export async function show(orgId: string, domainId: string, { json }: Json, { write }: Terminal): Promise<void> {
  const domain = await domainOf({ orgId, domainId });
  await write(json ? jsonOf({ ...domain, record: txtRecordFor(domain) }) : domainText(domain, dnsUrl()));
}

/** Shows a page on a domain, or no more. */
export async function bind(
  to: 'bound' | 'unbound',
  { orgId, domainId, pageId }: { orgId: string; domainId: string; pageId: string },
  { json }: Json,
  { write }: Terminal,
): Promise<void> {
  await domainOf({ orgId, domainId });
  const change = to === 'bound' ? bindPage : unbindPage;
  const { hostname, pageIds } = await change(domainPorts(), { orgId, domainId }, pageId);
  if (json) return write(jsonOf({ domainId, pageIds }));
  await write(`The page is ${to === 'bound' ? 'bound to' : 'not bound to'} ${printableLine(hostname)}.\n`);
}

/** Removes a domain as the API does. @throws FriendlyError when it is being removed already */
export async function remove(
  orgId: string,
  domainId: string,
  { json, dryRun, wait, yes, ...place }: RemoveOptions,
  terminal: Terminal,
): Promise<void> {
  const domain = await domainOf({ orgId, domainId });
  if (domain.status === 'removing' && !wait) throw BEING_REMOVED();
  if (dryRun) return tellRemoval(domain, json, terminal);
  if (domain.status !== 'removing') {
    await confirm(terminal, `Remove ${printableLine(domain.hostname)}: ${whatGoes(domain)}?`, yes);
    await requested(domain, terminal);
  }
  const isGone = wait === true && (await follow({ ...domain, status: 'removing' }, terminal)) === undefined;
  if (json) return terminal.write(jsonOf({ id: domainId, hostname: domain.hostname, removed: isGone }));
  const hostname = printableLine(domain.hostname);
  await terminal.write(isGone ? `${hostname} is removed and free.\n` : `${hostname} is being removed.\n`);
  if (!isGone) terminal.note(`See ${followUpCommand(place, `domains show ${orgId} ${domainId}`)}`);
}

const BEING_REMOVED = () => new UserError('The domain is being removed already: --wait shows how it goes on.');

async function requested({ orgId, id }: CustomDomain, { note }: Terminal): Promise<void> {
  const silent = () => undefined;
  const log: Logger = {
    ...{ info: silent, warn: silent, recordMetric: silent },
    error: () => note('It could not be started at once: the sweeper begins within a minute.'),
  };
  await requestRemoval(removalRequestPorts(), { orgId, domainId: id }, log).catch((error: unknown) => {
    throw error instanceof HttpError && error.status === 404 ? BEING_REMOVED() : error;
  });
}

const whatGoes = ({ pageIds, tenantId }: CustomDomain): string =>
  [
    ...(pageIds.length > 0 ? [`${formatCount(pageIds.length, 'page')} will be shown on it no more`] : []),
    ...(tenantId === null ? [] : ['what serves it at the edge goes with its certificate']),
    'its hostname becomes free for others',
  ].join(', ');

async function tellRemoval(domain: CustomDomain, json: true | undefined, { write, note }: Terminal): Promise<void> {
  const { id, hostname, pageIds, tenantId, certificateArn } = domain;
  if (json) return write(jsonOf({ id, hostname, pageIds, tenantId, certificateArn }));
  await write(`${printableLine(hostname)}: ${whatGoes(domain)}.\n`);
  note('Nothing was changed.');
}
