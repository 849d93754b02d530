import { createDynamoDomainRepository } from '../../../shared/domains/aws/dynamo-domain-repository.ts';
import { type CustomDomain, toDomainIds } from '../../../shared/domains/domain.ts';
import { requestRemoval } from '../../../shared/domains/request-removal.ts';
import { PENDING_TTL_MS } from '../../../shared/domains/schedule.ts';
import { HttpError } from '../../../shared/http/errors.ts';
import { UserError } from '../../common/user-error.ts';
import { type EnvironmentOptions, followUpCommand } from '../environment/environment-options.ts';
import { requireOrganization } from '../organizations/dynamo-organization-admin-repository.ts';
import { listOfOrganization } from '../organizations/list-command.ts';
import { requirePage } from '../pages/dependencies.ts';
import { argument, command, flag, group, option } from '../program/command.ts';
import { dryRun, idArgument, organizationArgument, parseUuid, yes } from '../program/parameters.ts';
import { createErrorLogger } from '../terminal/error-logger.ts';
import { formatCount, formatTime, formatUtc } from '../terminal/format.ts';
import { Fields } from '../terminal/output.ts';
import { NOTHING_CHANGED, type Terminal } from '../terminal/terminal.ts';
import { addDomain } from './add-domain.ts';
import { bindPage, unbindPage } from './bind-page.ts';
import { domainPorts, removalRequestPorts, requireDomain } from './dependencies.ts';
import { listDomains } from './dynamo-domain-admin-repository.ts';
import { parseHostname } from './hostname.ts';
import { describeProgress, followProgress } from './progress.ts';
import { txtRecordFor, verifyDomain } from './verify-domain.ts';

const domainArgs = { orgId: organizationArgument, domainId: idArgument('domain') };

const add = command({
  name: 'add',
  description:
    'Reserves a hostname, and prints the domain id and the DNS record that proves ownership. A domain that is not ' +
    'verified within 14 days is removed.',
  args: { orgId: organizationArgument, hostname: argument('<hostname>', 'full hostname, such as shop.example.com') },
  options: { page: option('--page <id>', 'id of a page to bind to the domain; see "pages list"', parseUuid('page')) },
  json: 'one JSON object: the domain, the DNS `record` to create, and `isNew` (false if the domain existed before)',
  help: `The domain id goes to the standard output, the rest to the standard error. To store the id in a shell variable:
  DOMAIN=$(npm run -s admin -- domains add <organization> shop.example.com)`,
  run: async ({ orgId, hostname, page }, context) => {
    const organization = await requireOrganization(orgId);
    const ports = domainPorts();
    if (page !== undefined) await requireBindablePage(orgId, page, hostname);
    const { domain, isNew } = await addDomain(ports, organization, hostname);
    const bound = page === undefined ? domain : await bindPage(ports, toDomainIds(domain), page);
    return {
      json: { ...bound, record: txtRecordFor(bound), isNew },
      text: bound.id,
      hints:
        bound.status === 'pending'
          ? [
              `${bound.hostname} is ${isNew ? 'reserved for 14 days' : 'already reserved'}. Prove ownership in DNS:`,
              `\n${new Fields(...proofFields(bound))}`,
              `Then run: ${followUpCommand(context, `domains verify ${orgId} ${bound.id}`)}`,
            ]
          : [`The organization already has ${bound.hostname}, with status ${bound.status}.`],
    };
  },
});

/** Checks the page before the hostname is reserved, so that a wrong page id changes nothing. */
async function requireBindablePage(orgId: string, pageId: string, hostname: string): Promise<void> {
  const { domainId } = await requirePage(orgId, pageId);
  const domain = domainId === null ? undefined : await createDynamoDomainRepository().find({ orgId, domainId });
  if (domain === undefined || domain.hostname === parseHostname(hostname)) return;
  throw new UserError(
    `The page is bound to ${domain.hostname}: run "domains unbind ${orgId} ${domain.id} ${pageId}" first.`,
  );
}

const verify = command({
  name: 'verify',
  description:
    'Looks up the DNS record that proves ownership of a domain. If the record is correct, starts the provisioning of ' +
    'the domain at the CDN in the background.',
  args: domainArgs,
  options: { wait: flag('--wait', 'wait at most 30 minutes until the domain is active, and show each step') },
  json:
    'one JSON object: `outcome` ("verified", or "already" if the domain was verified before), `status` of the ' +
    'domain, and `target`, to which its CNAME record must point (null until the CDN has a tenant for the domain)',
  help: 'The exit code is 1 if DNS lacks the record, or if the domain is not active after 30 minutes of --wait.',
  run: async ({ orgId, domainId, wait }, context) => {
    const domain = await requireDomain({ orgId, domainId });
    const verified = await verifyDomain(domainPorts(), toDomainIds(domain));
    if (verified.outcome === 'not_found') throw new UserError(notFoundText(domain, verified.found));
    const { outcome } = verified;
    const now = (wait ? await followProgress(verified.domain, context.terminal) : undefined) ?? verified.domain;
    return {
      json: { outcome, status: now.status, target: now.target },
      text: `${now.hostname} is ${outcome === 'already' ? 'already ' : ''}verified.`,
      hints: [verifiedHint(now, context)],
    };
  },
});

function verifiedHint({ status, orgId, id, target, tenantId }: CustomDomain, environment: EnvironmentOptions): string {
  const cname = target === null ? '' : ` Its CNAME record must point to ${target}.`;
  if (status !== 'active') {
    return `It is being provisioned: see ${followUpCommand(environment, `domains show ${orgId} ${id}`)}.${cname}`;
  }
  return tenantId === null ? 'It is active, but this stage has no CDN that serves it.' : `The CDN serves it.${cname}`;
}

function notFoundText(domain: CustomDomain, found: number): string {
  const { name, value } = txtRecordFor(domain);
  const others = found === 0 ? 'no TXT record' : `${formatCount(found, 'TXT record')}, but not the required one,`;
  return (
    `DNS has ${others} for ${name}: create a TXT record with the value ${value}. A new record becomes visible after ` +
    'some minutes, or after up to an hour if a resolver cached that the record did not exist.'
  );
}

const list = listOfOrganization({
  name: 'domains',
  description: 'Lists domains ordered by hostname, including those that are being removed.',
  list: listDomains,
  compare: (one, other) => (one.hostname < other.hostname ? -1 : 1),
  columns: [
    { head: 'DOMAIN', width: 36, value: ({ id }) => id },
    { head: 'STATUS', width: 8, value: ({ status }) => status },
    { head: 'PAGES', width: 5, value: ({ pageIds }) => pageIds.length },
    { head: 'HOSTNAME', value: ({ hostname }) => hostname },
  ],
  empty: 'There are no domains yet: see "domains add".',
});

const show = command({
  name: 'show',
  description: 'Shows a domain, and the progress of its provisioning or removal.',
  args: domainArgs,
  json: 'one JSON object: the domain, and the DNS `record` that proves ownership',
  run: async (ids) => {
    const domain = await requireDomain(ids);
    const { pageIds, status, createdAt } = domain;
    const untilMs = Date.parse(createdAt) + PENDING_TTL_MS;
    return {
      json: { ...domain, record: txtRecordFor(domain) },
      text: new Fields(
        ['id', domain.id],
        ['hostname', domain.hostname],
        ['status', status === 'pending' ? `pending: must be verified by ${formatTime(untilMs)}` : status],
        ['created', formatUtc(createdAt)],
        ['pages', pageIds.length === 0 ? 'none' : pageIds],
        ...(status === 'pending' ? proofFields(domain) : cdnFields(domain)),
        ...progressFields(domain),
      ),
    };
  },
});

type FieldList = [label: string, value: string | undefined][];

function proofFields(domain: CustomDomain): FieldList {
  const { name, value } = txtRecordFor(domain);
  const record = JSON.stringify({ name, type: 'TXT', value });
  // URL of the local DNS stand-in. It is not set for a deployment.
  const dnsUrl = process.env.DNS_RECORDS_URL || undefined;
  const here = dnsUrl && `curl -X PUT ${dnsUrl} -H 'Content-Type: application/json' -d '${record}'`;
  return [
    ['TXT record', name],
    ['its value', value],
    ['create locally with', here],
  ];
}

function cdnFields({ tenantId, certificateArn, target, status }: CustomDomain): FieldList {
  if (tenantId === null) return status === 'active' ? [['CDN', 'none: this stage has no CDN']] : [];
  const cname = `the CNAME record of the hostname must point to ${target}`;
  return [
    ['tenant', tenantId],
    ['certificate', certificateArn ?? undefined],
    ['CNAME', target === null || status === 'removing' ? undefined : cname],
  ];
}

function progressFields(domain: CustomDomain): FieldList {
  const progress = domain.removal ?? domain.provisioning;
  const step = describeProgress(domain);
  if (progress === null || step === undefined) return [];
  return [
    ['requested', formatUtc(domain.removal?.requestedAt)],
    ['progress', step],
    ['since', formatUtc(progress.since)],
    ['attempts', progress.attempts === 0 ? 'none failed' : `${progress.attempts} failed`],
    ['reason', progress.failureReason ?? undefined],
    ['next attempt', formatUtc(domain.dueAt)],
  ];
}

const binding = (name: string, description: string, change: typeof bindPage, outcome: string) =>
  command({
    name,
    description,
    args: { ...domainArgs, pageId: idArgument('page') },
    json: 'one JSON object: `domainId`, and `pageIds` (all pages that are bound to the domain now)',
    run: async ({ orgId, domainId, pageId }) => {
      await requireDomain({ orgId, domainId });
      const { hostname, pageIds } = await change(domainPorts(), { orgId, domainId }, pageId);
      return { json: { domainId, pageIds }, text: `The page is ${outcome} ${hostname}.` };
    },
  });

const remove = command({
  name: 'remove',
  description: 'Removes a domain with its page bindings, its CDN tenant, its certificate and its hostname reservation.',
  args: domainArgs,
  options: {
    wait: flag(
      '--wait',
      'wait at most 30 minutes until the removal is complete, and show each step, also if an earlier command started ' +
        'the removal (default: only start the removal)',
    ),
    dryRun,
    yes,
  },
  json:
    'one JSON object: `id`, `hostname`, and `removed` (false while the removal is in progress); with --dry-run, ' +
    '`pageIds`, `tenantId` and `certificateArn` instead of `removed`',
  help: 'The exit code is 1 if the removal is not complete after 30 minutes of --wait.',
  run: async ({ wait, dryRun: isDryRun, yes: isConfirmed, ...ids }, { terminal, confirm, ...environment }) => {
    const domain = await requireDomain(ids);
    const { id, hostname, pageIds, tenantId, certificateArn } = domain;
    const isRemoving = domain.status === 'removing';
    if (isRemoving && !wait) throw alreadyRemoving();
    if (isDryRun) {
      const text = `${hostname}: ${consequences(domain)}.`;
      return { json: { id, hostname, pageIds, tenantId, certificateArn }, text, hints: [NOTHING_CHANGED] };
    }
    if (!isRemoving) {
      await confirm(`Remove ${hostname}: ${consequences(domain)}?`, isConfirmed);
      await startRemoval(domain, terminal);
    }
    const removed = wait && (await followProgress({ ...domain, status: 'removing' }, terminal)) === undefined;
    return {
      json: { id, hostname, removed },
      text: removed ? `${hostname} is removed and available again.` : `${hostname} is being removed.`,
      hints: removed ? [] : [`See ${followUpCommand(environment, `domains show ${ids.orgId} ${id}`)}`],
    };
  },
});

const alreadyRemoving = () =>
  new UserError('The domain is already being removed: run the command again with --wait to see the progress.');

/** @throws UserError if another command has already started the removal */
async function startRemoval({ orgId, id: domainId }: CustomDomain, { note }: Terminal): Promise<void> {
  const log = createErrorLogger(() =>
    note('The removal could not be started immediately: the sweeper starts it within a minute.'),
  );
  await requestRemoval(removalRequestPorts(), { orgId, domainId }, log).catch((cause: unknown) => {
    throw cause instanceof HttpError && cause.status === 404 ? alreadyRemoving() : cause;
  });
}

const consequences = ({ pageIds, tenantId }: CustomDomain): string =>
  [
    ...(pageIds.length > 0 ? [`${formatCount(pageIds.length, 'page')} will be unbound`] : []),
    ...(tenantId === null ? [] : ['its tenant at the CDN and its certificate will be deleted']),
    'the hostname will become available to others',
  ].join(', ');

export const domains = group('domains', 'Custom domains: add, verify, list, show and remove them; bind pages.', [
  ...[add, verify, list, show],
  binding('bind', 'Binds a page to a domain, so that the domain serves the page.', bindPage, 'bound to'),
  binding(
    'unbind',
    'Unbinds a page from a domain, so that the domain stops serving the page.',
    unbindPage,
    'no longer bound to',
  ),
  remove,
]);
