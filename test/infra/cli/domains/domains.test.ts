import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startDns } from '../../../../infra/local/dns/server.ts';
import { type CustomDomain, toDomainIds } from '../../../../shared/domains/domain.ts';
import { pageKey } from '../../../../shared/landing-pages/aws/keys.ts';
import { admin } from '../../../support/cli/admin.ts';
import { anOrganization } from '../../../support/cli/training.ts';
import { domainWorld, dynamoStores } from '../../../support/domains/domain-world.ts';
import { domainItem, putRecord, storedDomain } from '../../../support/domains/domains.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aPage, storedPage } from '../../../support/landing-pages/pages.ts';

useDynamo();

let folder: string;
let dns: Awaited<ReturnType<typeof startDns>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-dns-'));
  dns = await startDns('127.0.0.1', folder);
  process.env.DNS_SERVERS = `127.0.0.1:${dns.udp}`;
  process.env.DNS_RECORDS_URL = `http://127.0.0.1:${dns.http}/records`;
});
afterAll(async () => {
  dns.close();
  await rm(folder, { recursive: true });
});

const domains = (...args: string[]) => admin(['domains', ...args]);
const json = async (...args: string[]) => {
  const { out, err } = await domains(...args, '--json');
  if (out === '') throw new Error(err);
  return JSON.parse(out);
};
const aHostname = () => `${randomUUID()}.example.com`;

test('a hostname is added, verified, shown and listed; "add" prints the DNS record and the next command', async () => {
  const orgId = await anOrganization();
  const hostname = aHostname();
  const { out, err } = await domains('add', orgId, hostname.toUpperCase());
  const id = out.trim();
  expect(err).toContain(`_tributary.${hostname}`);
  expect(err).toMatch(new RegExp(`run: npm run admin -- domains verify ${orgId} ${id} --state \\S+tributary-state`));
  expect(err).toMatch(/curl -X PUT http:\/\/127\.0\.0\.1:\d+\/records/);
  expect(await domains('verify', orgId, id)).toMatchObject({ code: 1, err: expect.stringContaining('no TXT record') });
  const { record } = await json('show', orgId, id);
  await fetch(process.env.DNS_RECORDS_URL ?? '', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: record.name, type: 'TXT', value: record.value }),
  });
  expect(await domains('verify', orgId, id)).toMatchObject({ code: 0, out: `${hostname} is verified.\n` });
  expect(await json('verify', orgId, id)).toEqual({ outcome: 'already', status: 'verified', target: null });
  expect((await domains('show', orgId, id)).out).toMatch(/progress +create its tenant at the CDN/);
  expect(await json('list', orgId)).toMatchObject({ domains: [{ id, hostname, status: 'verified' }] });
});

test('1: add --page reserves no hostname if the page is unknown or bound to another domain', async () => {
  const orgId = await anOrganization();
  const hostname = aHostname();
  const shownOn = await storedDomain({ orgId });
  const { page } = await storedPage(aPage(orgId, { domainId: shownOn.id }));
  expect(await domains('add', orgId, hostname, '--page', randomUUID())).toMatchObject({
    code: 1,
    err: expect.stringContaining('has no page'),
  });
  expect(await domains('add', orgId, hostname, '--page', page.id)).toMatchObject({
    code: 1,
    err: expect.stringContaining(`domains unbind ${orgId} ${shownOn.id} ${page.id}`),
  });
  expect(await json('list', orgId)).toMatchObject({ domains: [{ id: shownOn.id }] });
  expect(await dynamoStores().hostnames.findReservation(hostname)).toBeUndefined();
});

test('list: the table fits into 80 columns; for an organization without domains, nothing is printed to stdout', async () => {
  const orgId = await anOrganization();
  await storedDomain({ orgId, hostname: `a-very-long-name-of-a-shop.${randomUUID()}.example`, status: 'removing' });
  const { out } = await admin(['domains', 'list', orgId], { columns: 80 });
  expect(out).toMatch(/^DOMAIN +STATUS +PAGES +HOSTNAME\n/);
  expect(Math.max(...out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  expect(await domains('list', await anOrganization())).toMatchObject({ code: 0, out: '' });
});

test.each([
  ['a hostname with a port', 'shop.example.com:443', 'without scheme'],
  ['a wildcard', '*.example.com', 'wildcard'],
])('1: add rejects %s and says what is wrong', async (_, hostname, sentence) => {
  const orgId = await anOrganization();
  expect(await domains('add', orgId, hostname)).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining(sentence),
  });
  expect(await json('list', orgId)).toEqual({ domains: [] });
});

test('1: add rejects a hostname beyond the organization’s limit, until the operator unsets the limit', async () => {
  const orgId = await anOrganization();
  expect((await admin(['limits', 'set', orgId, '--domains', '1'])).out).toMatch(/domains +1 +own +see "domains list"/);
  expect((await domains('add', orgId, aHostname())).code).toBe(0);
  const refused = await domains('add', orgId, aHostname());
  expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining('may have at most 1 domain:') });
  expect((await json('list', orgId)).domains).toHaveLength(1);
  await admin(['limits', 'set', orgId, '--unset', 'domains']);
  expect((await domains('add', orgId, aHostname())).code).toBe(0);
});

test('1: add rejects a hostname of another organization, and names that organization', async () => {
  const [orgId, theirs] = [await anOrganization(), await storedDomain()];
  const { code, err } = await domains('add', orgId, theirs.hostname);
  expect([code, err]).toEqual([1, expect.stringContaining(theirs.orgId)]);
});

test('1: the error names the organization or domain that does not exist', async () => {
  const orgId = await anOrganization();
  const unknown = randomUUID();
  expect(await domains('list', unknown)).toMatchObject({
    code: 1,
    err: `There is no organization ${unknown}: see "organizations list".\n`,
  });
  const { id } = await storedDomain();
  for (const command of ['show', 'verify', 'remove']) {
    const err = `The organization has no domain ${id}: see "domains list".\n`;
    expect(await domains(command, orgId, id)).toMatchObject({ code: 1, err });
  }
  expect((await domains('show', orgId, 'x')).code).toBe(2);
});

test('1: bind rejects a page that does not exist; 0: bind binds a page, and unbind unbinds the page', async () => {
  const { orgId, ...domain } = await storedDomain({ orgId: await anOrganization() });
  const pageId = randomUUID();
  expect(await domains('bind', orgId, domain.id, pageId)).toMatchObject({
    code: 1,
    err: `The organization has no page ${pageId}: see "pages list".\n`,
  });
  await putRecord(pageKey(orgId, pageId), { id: pageId, orgId, domainId: null });
  expect(await json('bind', orgId, domain.id, pageId)).toEqual({ domainId: domain.id, pageIds: [pageId] });
  expect(await dynamoStores().pages.listPageIds({ orgId, domainId: domain.id })).toEqual([pageId]);
  expect((await domains('unbind', orgId, domain.id, pageId)).out).toBe(
    `The page is no longer bound to ${domain.hostname}.\n`,
  );
  expect(await dynamoStores().pages.listPageIds({ orgId, domainId: domain.id })).toEqual([]);
});

test('remove: changes nothing with --dry-run or without a confirmation; with --yes, marks the domain for the sweeper', async () => {
  const domain = await storedDomain({ orgId: await anOrganization(), tenantId: 'dt_1', pageIds: [randomUUID()] });
  const args = ['remove', domain.orgId, domain.id];
  expect(await domains(...args)).toMatchObject({ code: 1, err: expect.stringContaining('--yes') });
  expect(await domains(...args, '--dry-run')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/1 page will be unbound, .* CDN .* available to others/),
    err: 'Nothing was changed.\n',
  });
  expect(await domainItem(toDomainIds(domain))).toMatchObject({ status: 'active' });
  const removed = await domains(...args, '--yes');
  expect(removed).toMatchObject({ code: 0, out: `${domain.hostname} is being removed.\n` });
  expect(removed.err).toContain('sweeper');
  expect(await domainItem(toDomainIds(domain))).toMatchObject({
    status: 'removing',
    removal: { step: 'unbind_pages' },
  });
  expect(await domains(...args, '--yes')).toMatchObject({ code: 1, err: expect.stringContaining('already') });
});

test('remove --wait: prints each step once, including steps that ended between two polls', async () => {
  const domain = await storedDomain({ orgId: await anOrganization(), status: 'pending' });
  const watching = domains('remove', domain.orgId, domain.id, '--yes', '--wait');
  await vi.waitFor(async () => expect(await domainItem(toDomainIds(domain))).toMatchObject({ status: 'removing' }));
  const world = domainWorld({ stores: dynamoStores(), hasEdge: false });
  expect(await world.processOf().remove(toDomainIds(domain))).toBe('removed');
  const { code, out, err } = await watching;
  expect([code, out]).toEqual([0, `${domain.hostname} is removed and available again.\n`]);
  expect(err.match(/step \d of 5/g)).toEqual([1, 2, 3, 4, 5].map((step) => `step ${step} of 5`));
});

test('show: prints the step, failed attempts, reason and next attempt of a removal that fails repeatedly', async () => {
  const at = '2026-05-04T12:00:00.000Z';
  const removal: CustomDomain['removal'] = {
    requestedAt: at,
    step: 'delete_edge',
    since: at,
    attempts: 3,
    failureReason: 'The edge did not answer.\u001b[2J',
  };
  const edge = { tenantId: 'dt_1', target: 'edge.example.net' };
  const orgId = await anOrganization();
  const domain = await storedDomain({ orgId, status: 'removing', removal, dueAt: at, ...edge });
  const { out } = await domains('show', domain.orgId, domain.id);
  expect(out).toMatch(/progress +step 3 of 5: delete its tenant at the CDN\n/);
  expect(out).toMatch(/attempts +3 failed\n/);
  expect(out).toMatch(/reason +The edge did not answer\.\\u001b\[2J\n/);
  expect(out).toMatch(/next attempt +2026-05-04 12:00:00 UTC\n/);
  expect(out).toMatch(/tenant +dt_1\n/);
  expect(out).not.toContain('CNAME');
});
