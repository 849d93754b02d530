import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDynamoLeadRepository } from '../../../../shared/leads/aws/dynamo-lead-repository.ts';
import type { LeadKey } from '../../../../shared/leads/lead.ts';
import type { LeadChange } from '../../../../shared/leads/ports.ts';
import { admin, aPublishedFunnel } from '../../../support/cli/admin.ts';
import { parseCsv } from '../../../support/csv.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { DAY_MS, NOON } from '../../../support/leads/lead-repository.ts';
import { aLeadChangeOf } from '../../../support/leads/stored-leads.ts';
import { aField } from '../../../support/leads/submit.ts';

useDynamo();

const FIELDS = [
  aField({ id: 'name', type: 'text' }),
  aField({ id: 'email', type: 'email' }),
  aField({ id: 'news', type: 'consent' }),
];

/** A published funnel, and a function that stores a lead of it. */
async function aFunnel() {
  const funnel = await aPublishedFunnel(FIELDS);
  const leave = async (data: Record<string, unknown>, change: Partial<LeadChange> = {}): Promise<LeadKey> => {
    const key = { funnelId: funnel.id, leadId: randomUUID() };
    await createDynamoLeadRepository().create(key, aLeadChangeOf(data, change));
    return key;
  };
  return { funnel, leave };
}

const HOUR_MS = 3_600_000;

test('list: prints leads with names and contact data, latest submit first, and the option for the next page', async () => {
  const { funnel, leave } = await aFunnel();
  const keys: LeadKey[] = [];
  for (const hour of [0, 1, 2, 3, 4]) {
    keys.push(
      await leave(
        { name: `Ada ${hour}`, email: `ada${hour}@shop.example`, other: 'x' },
        { atMs: NOON + hour * HOUR_MS },
      ),
    );
  }
  const first = await admin(['leads', 'list', funnel.id, '--limit', '2'], { columns: 80 });
  expect(first.code).toBe(0);
  expect(first.out).toBe(
    `LEAD                                  LAST SUBMIT, UTC  CONTACT
${keys[4]?.leadId}  2026-03-01 16:00  Ada 4
                                                        ada4@shop.example
${keys[3]?.leadId}  2026-03-01 15:00  Ada 3
                                                        ada3@shop.example
`,
  );
  const [, after = ''] = /--after (\S+)/.exec(first.err) ?? [];
  const second = await admin(['leads', 'list', funnel.id, '--limit', '3', '--after', after]);
  expect(second.out.match(/Ada \d/g)).toEqual(['Ada 2', 'Ada 1', 'Ada 0']);
  expect(second.err).toBe('');
});

test('list: omits expired leads; a page with only expired leads is empty and names the next page', async () => {
  const { funnel, leave } = await aFunnel();
  await leave({ name: 'Ada' });
  await leave({ name: 'Gone' }, { atMs: NOON + HOUR_MS, retainedUntilMs: NOON + 2 * HOUR_MS });
  const first = await admin(['leads', 'list', funnel.id, '--limit', '1']);
  expect([first.code, first.out]).toEqual([0, '']);
  const [, after = ''] = /^Next page: .* --after (\S+)\n$/.exec(first.err) ?? [];
  expect((await admin(['leads', 'list', funnel.id, '--after', after])).out).toContain('Ada');
});

test('list --json: `next` is the position for --after, and null at the end', async () => {
  const { funnel, leave } = await aFunnel();
  for (let lead = 0; lead < 5; lead++) await leave({ lead });
  const found: number[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const { out } = await admin([
      ...['leads', 'list', funnel.id, '--json', '--limit', '2'],
      ...(next === '' ? [] : ['--after', next]),
    ]);
    const page: { leads: { data: { lead: number } }[]; next: string | null } = JSON.parse(out);
    found.push(...page.leads.map(({ data }) => data.lead));
    next = page.next;
  }
  expect(found.toSorted()).toEqual([0, 1, 2, 3, 4]);
});

test('--since and --until accept days and instants; --until includes a given day, but excludes a given instant', async () => {
  const { funnel, leave } = await aFunnel();
  for (const day of [0, 1, 2]) await leave({ day }, { atMs: NOON + day * DAY_MS });
  const daysOf = async (...options: string[]) => {
    const { out } = await admin(['leads', 'export', funnel.id, '--format', 'jsonl', ...options]);
    return out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).data.day);
  };
  expect(await daysOf('--since', '2026-03-02')).toEqual([1, 2]);
  expect(await daysOf('--until', '2026-03-02')).toEqual([0, 1]);
  expect(await daysOf('--since', '2026-03-02', '--until', '2026-03-02')).toEqual([1]);
  expect(await daysOf('--until', '2026-03-02T13:00:00+01:00')).toEqual([0]);
  expect(await daysOf('--since', '2026-03-02T13:00:00+01:00')).toEqual([1, 2]);
});

test('show: prints all data of a lead, except the hash of its update token', async () => {
  const { funnel, leave } = await aFunnel();
  const key = await leave(
    { name: 'Ada', news: true, notes: 'one\ntwo', offer: { a: [1] } },
    {
      stepId: 'contact',
      tokenHash: 'hash-of-a-token',
      retainedUntilMs: Date.parse('2099-01-01T00:00:00Z'),
      pageUrl: 'https://shop.example/',
      webcomponentArgs: '{\n"variant": "b"}',
      cookieConsent: '{"cmp":"usercentrics"}',
      consents: [{ field: 'news', given: true, textVersion: 'news 2026', versionId: randomUUID() }],
    },
  );
  const { code, out } = await admin(['leads', 'show', funnel.id, key.leadId]);
  expect([code, out]).toEqual([
    0,
    `LEAD
  id            ${key.leadId}
  funnel        ${funnel.id}
  first submit  2026-03-01 12:00:00 UTC
  last submit   2026-03-01 12:00:00 UTC, 1 submit in total
  kept until    2099-01-01 00:00:00 UTC
  device        desktop
  page          https://shop.example/
  webcomponent  { "variant": "b"}
  cookies       {"cmp":"usercentrics"}

DATA
  FIELD  TYPE        VALUE
  name   text        Ada
  news   consent     true
  notes  undeclared  one
                     two
  offer  undeclared  {"a":[1]}

STEPS
  STEP     FIRST, UTC           LAST, UTC            SUBMITS
  contact  2026-03-01 12:00:00  2026-03-01 12:00:00  1

CONSENTS
  CONSENT  LAST   AT, UTC              TEXT
  news     given  2026-03-01 12:00:00  news 2026
`,
  ]);
  const json = await admin(['leads', 'show', funnel.id, key.leadId, '--json']);
  expect(JSON.parse(json.out)).toMatchObject({ lead_id: key.leadId, webcomponent_args: { variant: 'b' } });
  expect(out + json.out).not.toContain('hash-of-a-token');
});

test('export --format jsonl: writes one line per lead, with the digits of numbers as they were submitted', async () => {
  const { funnel, leave } = await aFunnel();
  const changes = new Map([
    ['n', '12345678901234567890'],
    ['big', '1e400'],
    ['wide', '{\n "a": 1.0\n}'],
  ]);
  await leave({}, { dataChanges: changes });
  const { out } = await admin(['leads', 'export', funnel.id, '--format', 'jsonl']);
  expect(out.match(/\n/g)).toHaveLength(1);
  expect(out).toContain('"data":{"big":1e400,"n":12345678901234567890,"wide":{  "a": 1.0 }}');
});

test('export as CSV: writes all declared fields or those of --fields, and a byte order mark with --bom', async () => {
  const { funnel, leave } = await aFunnel();
  const { leadId } = await leave({ name: '=1+1', email: 'ada@shop.example', extra: 1 });
  const csv = async (...options: string[]) => {
    const { out, err } = await admin(['leads', 'export', funnel.id, ...options]);
    return { rows: parseCsv(out), err };
  };
  const whole = await csv();
  expect(whole.rows.map((row) => row.slice(-4))).toEqual([
    ['name', 'email', 'news', 'other'],
    ["'=1+1", 'ada@shop.example', '', '{"extra":1}'],
  ]);
  expect(whole.err).toBe('Exported 1 lead.\n');
  const some = await csv('--fields', 'extra, name', '--raw', '--bom');
  expect(some.rows.map((row) => [row[0], ...row.slice(-2)])).toEqual([
    ['\ufefflead_id', 'extra', 'name'],
    [leadId, '1', '=1+1'],
  ]);
  expect(some.err).toContain("The field extra is not in the funnel's published version: check the spelling.");
});

test('list, export and show find no leads of another funnel', async () => {
  const [one, other] = [await aFunnel(), await aFunnel()];
  const { leadId } = await one.leave({ name: 'Ada' });
  expect(await admin(['leads', 'list', other.funnel.id])).toEqual({
    code: 0,
    out: '',
    err: 'No leads were found.\n',
  });
  expect((await admin(['leads', 'export', other.funnel.id])).err).toBe('Exported 0 leads.\n');
  expect(await admin(['leads', 'show', other.funnel.id, leadId])).toEqual({
    code: 1,
    out: '',
    err: `The funnel ${other.funnel.id} has no lead ${leadId}: see "leads list".\n`,
  });
});

test('1: list, show and export fail for an unknown funnel', async () => {
  const funnelId = randomUUID();
  for (const command of [
    ['list', funnelId],
    ['show', funnelId, randomUUID()],
    ['export', funnelId],
  ]) {
    expect(await admin(['leads', ...command])).toEqual({
      code: 1,
      out: '',
      err: `There is no funnel ${funnelId}: see "funnels list".\n`,
    });
  }
});

test('export: a lead that is submitted again during the export is exported once', async () => {
  const { funnel, leave } = await aFunnel();
  const keys: LeadKey[] = [];
  for (let lead = 0; lead < 250; lead++) keys.push(await leave({ lead }, { atMs: NOON + lead * 1_000 }));
  const again = async (part: number) => {
    for (const key of keys.filter((_, at) => at % 5 === part)) {
      await createDynamoLeadRepository().merge(key, aLeadChangeOf({ again: true }, { atMs: NOON + DAY_MS }));
    }
  };
  const [{ out }] = await Promise.all([admin(['leads', 'export', funnel.id, '--format', 'jsonl']), again(0), again(1)]);
  const found = out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).lead_id);
  expect(found.toSorted()).toEqual(keys.map(({ leadId }) => leadId).toSorted());
});
