import { createDynamoDomainRepository } from '../../../shared/domains/aws/dynamo-domain-repository.ts';
import { type CustomDomain, toDomainIds } from '../../../shared/domains/domain.ts';
import { UserError } from '../../common/user-error.ts';
import { followUpCommand } from '../environment/environment-options.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { requireOrganization } from '../organizations/dependencies.ts';
import { pageOf } from '../pages/dependencies.ts';
import { formatFields } from '../terminal/format.ts';
import { printableJson, printableLine } from '../terminal/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { addDomain } from './add-domain.ts';
import { bindPage } from './bind-page.ts';
import { domainOf, domainPorts } from './dependencies.ts';
import { follow } from './follow.ts';
import { proofLines } from './format.ts';
import { parseHostname } from './hostname.ts';
import { txtRecordFor, verifyDomain } from './verify-domain.ts';

type Json = { json?: true };
export type AddOptions = EnvironmentOptions & Json & { page?: string };
export type VerifyOptions = EnvironmentOptions & Json & { wait?: true };

export const jsonOf = (value: object): string => `${printableJson(JSON.stringify(value))}\n`;

/** Where the DNS of this machine takes records; undefined on a deployment. */
export const dnsUrl = (): string | undefined => process.env.DNS_RECORDS_URL || undefined;

/** Claims a hostname for an organization; the domain's id alone is put out, for the next command. */
export async function add(
  orgId: string,
  hostname: string,
  { json, page, ...place }: AddOptions,
  { write, note }: Terminal,
): Promise<void> {
  const organization = await requireOrganization(orgId);
  const ports = domainPorts();
  if (page !== undefined) await requireBindablePage(orgId, page, hostname);
  const { domain, isNew } = await addDomain(ports, organization, hostname);
  const bound = page === undefined ? domain : await bindPage(ports, toDomainIds(domain), page);
  if (json) return write(jsonOf({ ...bound, record: txtRecordFor(bound), isNew }));
  await write(`${bound.id}\n`);
  note(nextText(bound, isNew, place));
}

/** Before the hostname is reserved, so that a wrong page changes nothing. @throws FriendlyError */
async function requireBindablePage(orgId: string, pageId: string, hostname: string): Promise<void> {
  const { domainId } = await pageOf(orgId, pageId);
  const domain = domainId === null ? undefined : await createDynamoDomainRepository().find({ orgId, domainId });
  if (domain === undefined || domain.hostname === parseHostname(hostname)) return;
  throw new UserError(
    `The page is shown on ${printableLine(domain.hostname)}: run domains unbind ${orgId} ${domain.id} ${pageId} first.`,
  );
}

function nextText(domain: CustomDomain, isNew: boolean, place: EnvironmentOptions): string {
  const { id, orgId, hostname, status } = domain;
  if (status !== 'pending') return `The organization has ${printableLine(hostname)} already, and it is ${status}.`;
  return [
    `${printableLine(hostname)} is ${isNew ? '' : 'already '}reserved for 14 days. Prove it in DNS:\n\n`,
    formatFields(proofLines(domain, dnsUrl())),
    `\nThen: ${followUpCommand(place, `domains verify ${orgId} ${id}`)}`,
  ].join('');
}

/** Looks for the proof of a hostname. @throws FriendlyError when DNS has none */
export async function verify(
  orgId: string,
  domainId: string,
  { json, wait, ...place }: VerifyOptions,
  terminal: Terminal,
): Promise<void> {
  const domain = await domainOf({ orgId, domainId });
  const verified = await verifyDomain(domainPorts(), toDomainIds(domain));
  if (verified.outcome === 'not_found') throw new UserError(notFound(domain, verified.found));
  const now = (wait ? await follow(verified.domain, terminal) : undefined) ?? verified.domain;
  if (json) return terminal.write(jsonOf({ outcome: verified.outcome, status: now.status, target: now.target }));
  const hostname = printableLine(now.hostname);
  await terminal.write(`${hostname} is ${verified.outcome === 'already' ? 'proven already' : 'proven'}.\n`);
  terminal.note(nextOf(now, place));
}

function nextOf({ status, orgId, id, target, tenantId }: CustomDomain, place: EnvironmentOptions): string {
  const cname = target === null ? '' : ` Its CNAME record must name ${target}.`;
  const show = followUpCommand(place, `domains show ${orgId} ${id}`);
  if (status !== 'active') return `It is being set up: see ${show}${cname && `\n${cname}`}`;
  return tenantId === null ? 'It is active. This stage has no edge that would serve it.' : `It is served.${cname}`;
}

function notFound(domain: CustomDomain, found: number): string {
  const { name, value } = txtRecordFor(domain);
  const others = found === 0 ? 'has no TXT record there' : `has ${found} TXT records there, and none of them is this`;
  return `DNS ${others}: ${name} with the value ${value}. A new record takes some minutes to be seen everywhere, and up to an hour where its absence was seen before.`;
}
