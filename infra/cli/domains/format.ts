import { type CustomDomain, REMOVAL_STEPS, type RemovalStep } from '../../../shared/domains/domain.ts';
import { PENDING_TTL_MS } from '../../../shared/domains/schedule.ts';
import { formatSecond } from '../leads/format.ts';
import { formatFields } from '../terminal/format.ts';
import { printableLine } from '../terminal/printable.ts';
import { txtRecordFor } from './verify-domain.ts';

const STEPS: Record<RemovalStep, string> = {
  unbind_pages: 'its pages are unbound',
  disable_edge: 'the edge stops to serve it',
  delete_edge: 'its tenant at the edge is taken away',
  delete_certificate: 'its certificate is taken away',
  release_hostname: 'its hostname is released',
};

/** The steps of a removal from one on, as an operator reads them. */
export const stepTexts = (from: RemovalStep = REMOVAL_STEPS[0]): string[] =>
  REMOVAL_STEPS.map((step, at) => `step ${at + 1} of ${REMOVAL_STEPS.length}: ${STEPS[step]}`).slice(
    REMOVAL_STEPS.indexOf(from),
  );

/** How far its set-up or removal is; undefined when none is under way. */
export function progressOf(domain: CustomDomain): string | undefined {
  const { removal, setUp } = domain;
  if (removal !== null) return stepTexts(removal.step)[0];
  if (setUp === null) return undefined;
  return domain.tenantId === null ? 'the edge is asked to serve it' : 'the edge begins to serve it';
}

type Lines = (readonly [label: string, value: string])[];

/** Everything that is kept of a domain. */
export function domainText(domain: CustomDomain, dnsUrl: string | undefined): string {
  const { pageIds } = domain;
  return formatFields([
    ['id', domain.id],
    ['hostname', printableLine(domain.hostname)],
    ['status', statusText(domain)],
    ['made', utc(domain.createdAt)],
    ...(pageIds.length === 0 ? [['pages', 'none']] : pageIds.map((id, at) => [at === 0 ? 'pages' : '', id])),
    ...(domain.status === 'pending' ? proofLines(domain, dnsUrl) : edgeLines(domain)),
    ...progressLines(domain),
  ] as Lines);
}

const utc = (at: string): string => `${formatSecond(at)} UTC`;

function statusText({ status, createdAt }: CustomDomain): string {
  if (status !== 'pending') return status;
  return `pending: to be proven until ${utc(new Date(Date.parse(createdAt) + PENDING_TTL_MS).toISOString())}`;
}

/** @param dnsUrl where the DNS of this machine takes records; undefined elsewhere */
export function proofLines(domain: CustomDomain, dnsUrl: string | undefined): Lines {
  const { name, value } = txtRecordFor(domain);
  const record = JSON.stringify({ name, type: 'TXT', value });
  const here = `curl -X PUT ${dnsUrl} -H 'Content-Type: application/json' -d '${record}'`;
  return [['TXT record', name], ['its value', value], ...(dnsUrl === undefined ? [] : ([['here', here]] as Lines))];
}

function edgeLines({ tenantId, certificateArn, target, status }: CustomDomain): Lines {
  if (tenantId === null) {
    return status === 'active' ? [['edge', 'none: this stage serves no hostnames itself']] : [];
  }
  return [
    ['tenant', tenantId],
    ...(certificateArn === null ? [] : ([['certificate', certificateArn]] as Lines)),
    ...(target === null || status === 'removing'
      ? []
      : ([['CNAME', `the hostname’s CNAME record must name ${target}`]] as Lines)),
  ];
}

function progressLines(domain: CustomDomain): Lines {
  const progress = domain.removal ?? domain.setUp;
  const doing = progressOf(domain);
  if (progress === null || doing === undefined) return [];
  return [
    ...(domain.removal === null ? [] : ([['asked for', utc(domain.removal.requestedAt)]] as Lines)),
    ['progress', doing],
    ['since', utc(progress.since)],
    ['attempts', progress.attempts === 0 ? 'none has failed' : `${progress.attempts} failed`],
    ...(progress.problem === null ? [] : ([['problem', printableLine(progress.problem)]] as Lines)),
    ...(domain.dueAt === null ? [] : ([['next try', utc(domain.dueAt)]] as Lines)),
  ];
}
