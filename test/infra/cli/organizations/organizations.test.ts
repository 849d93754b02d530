import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { recordsClient } from '../../../../infra/cli/environment/record-table.ts';
import { createDynamoOrganizationAdminRepository } from '../../../../infra/cli/organizations/dynamo-organization-admin-repository.ts';
import { createDirectoryWriter } from '../../../../infra/local/seed/directory-writer.ts';
import { domainKey } from '../../../../shared/domains/aws/keys.ts';
import { organizationFunnelKey, uploadBlockKey } from '../../../../shared/funnels/aws/keys.ts';
import { pageKey } from '../../../../shared/landing-pages/aws/keys.ts';
import { memberKey, organizationListKey } from '../../../../shared/organizations/aws/keys.ts';
import { Organization } from '../../../../shared/organizations/organization.ts';
import { requireSetting } from '../../../../shared/platform/settings.ts';
import { admin } from '../../../support/cli/admin.ts';
import { useDynamo } from '../../../support/dynamo.ts';

const { callsOf } = useDynamo();
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const organizations = (...args: string[]) => admin(['organizations', ...args]);
const json = async (...args: string[]) => JSON.parse((await organizations(...args, '--json')).out);
const created = async (name: string, ...args: string[]): Promise<string> =>
  (await json('create', '--name', name, ...args)).id;

describe('create', () => {
  test('0: prints only the id to stdout, and prints a hint to stderr', async () => {
    const { code, out, err } = await organizations('create', '--name', 'Example Ltd', '--timezone', 'Europe/Berlin');
    expect([code, out.trim()]).toEqual([0, expect.stringMatching(UUID)]);
    expect(err).toBe(
      'Created Example Ltd with the time zone Europe/Berlin. To add the first member, use "members add".\n',
    );
    expect(await json('show', out.trim())).toEqual({
      id: out.trim(),
      name: 'Example Ltd',
      timezone: 'Europe/Berlin',
      limits: {},
      retention: {},
      counts: { members: 0, funnels: 0, pages: 0, domains: 0 },
    });
  });

  test('normalizes the name, and uses UTC if no time zone is given', async () => {
    expect(await json('create', '--name', '  Bu\u0308ro  ')).toMatchObject({ name: 'B\u00fcro', timezone: 'UTC' });
  });

  test.each([
    [['--name', ' '], 'Give a name of 1 to 100 characters.'],
    [['--name', 'x'.repeat(101)], 'Give a name of 1 to 100 characters.'],
    [['--name', 'a\ud800'], 'Give a name of 1 to 100 characters.'],
    [['--name', 'x', '--timezone', 'Berlin'], 'Give a time zone of the IANA database'],
    [['--name', 'x', '--timezone', '+02:00'], 'Give a time zone of the IANA database'],
    [[], "required option '--name <text>' not specified"],
    [['Example'], "required option '--name <text>' not specified"],
    [['--name', 'x', '--timezon', 'UTC'], 'Did you mean --timezone?'],
  ])('2: the arguments %j are rejected with a message, and nothing is read or written', async (args, sentence) => {
    const calls = await callsOf(async () => {
      const { code, out, err } = await organizations('create', ...args);
      expect([code, out]).toEqual([2, '']);
      expect(err).toContain(sentence);
    });
    expect(calls).toEqual([]);
  });

  test('2: a time zone of 1,000,000 characters is rejected with a message', async () => {
    const { code, err } = await organizations('create', '--name', 'x', '--timezone', 'x'.repeat(1_000_000));
    expect([code, err]).toEqual([2, expect.stringContaining('Give a time zone of the IANA database')]);
  });

  test('if a creation crashes between its two writes, "list" and "show" do not find the organization', async () => {
    const id = randomUUID();
    const Item = { ...organizationListKey(id), orgId: id };
    await recordsClient().send(new PutCommand({ TableName: requireSetting('directoryTable'), Item }));
    expect((await organizations('list')).out).not.toContain(id);
    expect(await organizations('show', id)).toMatchObject({
      code: 1,
      out: '',
      err: `There is no organization ${id}: see "organizations list".\n`,
    });
  });
});

describe('list', () => {
  test('lists all organizations sorted by name, including seeded organizations', async () => {
    const [zoe, ada] = [
      await created('Zoe Ltd'),
      await created('Ada Ltd', '--timezone', 'America/Argentina/Buenos_Aires'),
    ];
    const seeded = randomUUID();
    await createDirectoryWriter().putOrganization(Organization.parse({ id: seeded, name: 'Kim Ltd' }));
    const { out } = await organizations('list');
    const lines = out.split('\n').filter((line) => /ORGANIZATION|(Zoe|Ada|Kim) Ltd/.test(line));
    expect(lines.map((line) => line.slice(0, 36).trim())).toEqual(['ORGANIZATION', ada, seeded, zoe]);
    const listed = (await json('list')).organizations.map(({ id }: { id: string }) => id);
    expect(listed.filter((id: string) => [ada, seeded, zoe].includes(id))).toEqual([ada, seeded, zoe]);
  });

  test('lists 230 organizations with at most 4 batch reads', async () => {
    const ids = Array.from({ length: 230 }, () => randomUUID());
    for (const id of ids) {
      await createDirectoryWriter().putOrganization(Organization.parse({ id, name: `Many ${id}` }));
    }
    const calls = await callsOf(async () => {
      const { organizations: all } = await json('list');
      expect(all.filter(({ name }: Organization) => name.startsWith('Many'))).toHaveLength(230);
    });
    expect(calls.filter((call) => call === 'BatchGetItem').length).toBeLessThan(5);
  });

  test('control characters of a name are escaped; on a terminal of 80 columns, no line is longer', async () => {
    const id = await created(`Wide\u001b[2J\u202e ${'name '.repeat(15)}`);
    const { out } = await admin(['organizations', 'list'], { columns: 80 });
    expect(out).toContain('Wide\\u001b[2J\\u202e');
    expect(out).toContain(id);
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect((await organizations('show', id)).out).toContain('Wide\\u001b[2J\\u202e');
    expect((await organizations('list', '--json')).out).not.toMatch(/[\p{Cc}\u202e](?!$)/u);
  });
});

describe('show', () => {
  test('counts members, funnels, pages and domains; does not count upload blocks and tombstones', async () => {
    const id = await created('Example Ltd');
    const TableName = requireSetting('directoryTable');
    const kept = [
      memberKey(id, 'a'),
      memberKey(id, 'b'),
      organizationFunnelKey(id, 'f'),
      pageKey(id, 'p'),
      domainKey(id, 'd'),
    ];
    for (const at of [...kept, uploadBlockKey(id, 'b'), { ...pageKey(id, 'q'), tombstone: true }]) {
      await recordsClient().send(new PutCommand({ TableName, Item: at }));
    }
    expect((await json('show', id)).counts).toEqual({ members: 2, funnels: 1, pages: 1, domains: 1 });
    expect((await organizations('show', id)).out).toMatch(/members +2\nfunnels +1\npages +1\ndomains +1\n/);
  });

  test('prints the limits and the retention periods of the organization', async () => {
    const id = randomUUID();
    const own = { limits: { smsPerDay: 0 }, retention: { leadDays: 30 } };
    await createDirectoryWriter().putOrganization(Organization.parse({ id, name: 'Example Ltd', ...own }));
    expect((await organizations('show', id)).out).toMatch(
      /own limits +sms-per-day 0\nleads kept +30 days\ncalls kept +until erased\n/,
    );
  });
});

describe('update', () => {
  let orgId: string;
  beforeEach(async () => {
    orgId = await created('Example Ltd', '--timezone', 'Europe/Berlin');
  });

  test('changes only the given attributes, with one write', async () => {
    const calls = await callsOf(async () => {
      expect(await json('update', orgId, '--name', 'Sample Ltd')).toEqual({
        id: orgId,
        name: 'Sample Ltd',
        timezone: 'Europe/Berlin',
        limits: {},
        retention: {},
      });
    });
    expect(calls.filter((call) => call !== 'GetItem')).toEqual(['UpdateItem']);
    expect((await organizations('update', orgId, '--timezone', 'UTC')).out).toBe(
      'The organization is now Sample Ltd, with the time zone UTC.\n',
    );
  });

  test('keeps both changes if the name and the time zone are changed concurrently', async () => {
    await Promise.all([
      organizations('update', orgId, '--name', 'Sample Ltd'),
      organizations('update', orgId, '--timezone', 'Asia/Kolkata'),
    ]);
    expect(await json('show', orgId)).toMatchObject({ name: 'Sample Ltd', timezone: 'Asia/Kolkata' });
  });

  test('2: without --name and --timezone, prints that one of them is needed', async () => {
    const result = await organizations('update', orgId);
    expect(result).toEqual({
      code: 2,
      out: '',
      err: expect.stringContaining('give --name, --timezone, or both'),
    });
  });

  test('1: fails for an unknown organization, and does not create it', async () => {
    const unknown = randomUUID();
    expect(await organizations('update', unknown, '--name', 'x')).toMatchObject({ code: 1, out: '' });
    expect(await createDynamoOrganizationAdminRepository().find(unknown)).toBeUndefined();
  });
});

test('1: if DynamoDB cannot be reached, list prints one line to stderr', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:9');
  const { code, out, err } = await organizations('list');
  expect([code, out, err]).toEqual([1, '', expect.stringMatching(/^A required service is not available: .*\n$/)]);
  vi.unstubAllEnvs();
});
