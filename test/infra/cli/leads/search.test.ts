import { expect, test } from 'vitest';
import { aFunnelOf, anOrganization, storeLead } from '../../../support/a-person.ts';
import { admin } from '../../../support/cli/admin.ts';
import { useDynamo } from '../../../support/dynamo.ts';

useDynamo();

const HOUR_MS = 3_600_000;
const NOW = Date.now();

async function aShop() {
  const org = await anOrganization();
  const [one, other] = [await aFunnelOf(org), await aFunnelOf(org, { archivedAt: '2026-03-02T00:00:00.000Z' })];
  const foreign = await aFunnelOf(await anOrganization());
  const at = (ago: number) => ({ atMs: NOW - ago * HOUR_MS });
  const leads = {
    newest: await storeLead(one, { name: 'Ada Müller', email: 'Ada@Shop.example', phone: '030 901820' }, at(1)),
    older: await storeLead(other, { contact: { person: 'ADA MU\u0308LLER' }, mail: 'ada@shop.example' }, at(48)),
    bob: await storeLead(one, { name: 'Bob', email: 'bob@shop.example' }, at(2)),
  };
  await storeLead(foreign, { name: 'Ada Müller', email: 'ada@shop.example' }, at(1));
  const search = async (...args: string[]) =>
    JSON.parse((await admin(['leads', 'search', org, ...args, '--json'])).out);
  const ids = async (...args: string[]) =>
    (await search(...args)).leads.map(({ lead_id }: { lead_id: string }) => lead_id);
  return { org, one, other, leads, search, ids };
}

test('search finds leads by address, number or part of a name in all funnels of the organization, latest first', async () => {
  const { leads, ids } = await aShop();
  const both = [leads.newest.leadId, leads.older.leadId];
  expect(await ids('--email', 'ADA@shop.example')).toEqual(both);
  expect(await ids('--name', 'ada mü')).toEqual(both);
  expect(await ids('--phone', '+49 30 901820')).toEqual([leads.newest.leadId]);
  expect(await ids('--name', 'unknown')).toEqual([]);
});

test('search does not find an expired lead', async () => {
  const { one, search, ids } = await aShop();
  await storeLead(one, { name: 'Gone' }, { atMs: NOW - 2 * HOUR_MS, retainedUntilMs: NOW - HOUR_MS });
  expect(await ids('--name', 'gone')).toEqual([]);
  expect(await search('--name', 'gone')).toMatchObject({ leadsSearched: 3 });
});

test('--funnel, --since and --limit narrow the search, and `hasMore` is true if more leads match', async () => {
  const { org, other, leads, search, ids } = await aShop();
  expect(await ids('--name', 'ada', '--funnel', other)).toEqual([leads.older.leadId]);
  expect(await ids('--name', 'ada', '--since', '1d')).toEqual([leads.newest.leadId]);
  expect(await search('--name', 'ada', '--limit', '1')).toMatchObject({ hasMore: true, leads: [{}] });
  expect(await search('--name', 'ada')).toMatchObject({ hasMore: false });
  const { out, err } = await admin(['leads', 'search', org, '--name', 'bob']);
  expect(out).toMatch(/FUNNEL +LEAD .*\n.*Bob/);
  expect(err).toContain('Found 1 lead, searched 3 leads in 2 funnels.');
});

test('2: search rejects zero or two criteria and a blank name; 1: search rejects a funnel of another organization', async () => {
  const { org } = await aShop();
  const foreign = await aFunnelOf(await anOrganization());
  expect((await admin(['leads', 'search', org])).code).toBe(2);
  expect((await admin(['leads', 'search', org, '--name', 'a', '--email', 'a@b.example'])).code).toBe(2);
  expect((await admin(['leads', 'search', org, '--name', ' '])).code).toBe(2);
  expect(await admin(['leads', 'search', org, '--name', 'a', '--funnel', foreign])).toMatchObject({
    code: 1,
    err: expect.stringContaining('has no funnel'),
  });
});
