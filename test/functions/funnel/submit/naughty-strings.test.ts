import { beforeAll, describe, expect, test, vi } from 'vitest';
import { createDynamoFunnelRepository } from '../../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { createDynamoLeadRepository } from '../../../../shared/leads/aws/dynamo-lead-repository.ts';
import { admin, aPublishedFunnel } from '../../../support/cli/admin.ts';
import { parseCsv } from '../../../support/csv.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aField, handleIn, setUpSubmit } from '../../../support/leads/submit.ts';
import { NAUGHTY_STRINGS } from '../../../support/naughty-strings.ts';

useDynamo();

const TYPES = [
  'text',
  'long_text',
  'email',
  'phone',
  'url',
  'number',
  'date',
  'choice',
  'choices',
  'address',
  'json',
] as const;
const FIELDS = TYPES.map((type) => aField({ id: type, type }));
const OWN_KEY_CHARACTERS_MAX = 128;

type Exported = {
  lead_id: string;
  data: Record<string, unknown>;
  steps: { id: string }[];
  page_url: string | null;
  webcomponent_args: unknown;
  cookie_consent: unknown;
};

/** One submit: the string that it sent in all properties, the fields that rejected the string, and the created lead. */
type Case = { sent: string; refused: Set<string>; leadId: string };

const cases: Case[] = [];
let funnelId: string;
let exported: Map<string, Exported>;

const withoutNul = (text: string) => text.replaceAll('\0', '');
const normalized = (text: string) => withoutNul(text).normalize('NFC').trim();
/** Whether a string is valid as an undeclared key of `data`. The list contains no field id, so none is excluded. */
const isKey = (text: string) => withoutNul(text) !== '' && [...withoutNul(text)].length <= OWN_KEY_CHARACTERS_MAX;

const bodyOf = (text: string) => ({
  data: {
    ...Object.fromEntries(TYPES.map((type) => [type, text])),
    choices: [text],
    address: { street: text, floor: text },
    json: { [text]: [text] },
    free: text,
    ...(isKey(text) && { [text]: text }),
  },
  step_id: text,
  page_url: `https://shop.example/${text}`,
  webcomponent_args: { [text]: text },
  cookie_consent: { cmp: 'usercentrics', setting: { id: text } },
});

beforeAll(async () => {
  const log = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  ({ id: funnelId } = await aPublishedFunnel(FIELDS));
  const ports = { funnels: createDynamoFunnelRepository(), leads: createDynamoLeadRepository() };
  const { post, clock } = setUpSubmit({ funnel: { id: funnelId }, ports });
  for (const sent of NAUGHTY_STRINGS) {
    clock.ms++;
    const response = await post(bodyOf(sent));
    expect([200, 422]).toContain(response.status);
    const { error } = response.body as { error?: { validation_errors: { field: string }[] } };
    const refused = new Set(error?.validation_errors.map(({ field }) => field));
    cases.push({ sent, refused, leadId: handleIn(response).lead_id });
  }
  const { out } = await admin(['leads', 'export', funnelId, '--format', 'jsonl']);
  const lines = out.split('\n').filter(Boolean);
  log.mockRestore();
  exported = new Map(lines.map((line): Exported => JSON.parse(line)).map((lead) => [lead.lead_id, lead]));
}, 60_000);

/** Returns each string with its exported lead. */
const eachLead = () =>
  cases.map(({ leadId, ...one }) => {
    const lead = exported.get(leadId);
    if (lead === undefined) throw new Error(`The lead of ${JSON.stringify(one.sent)} is not exported.`);
    return { ...one, leadId, lead };
  });

test('every naughty string creates a lead, and the export has one line for each lead', () => {
  expect(cases.length).toBeGreaterThan(460);
  expect(exported.size).toBe(cases.length);
});

describe.each(TYPES)('200 or 422: a field of type %s', (type) => {
  test('a rejected value is not exported; an accepted value (except phone and number) is exported in normalized form', () => {
    let taken = 0;
    for (const { sent, refused, lead } of eachLead()) {
      const found = lead.data[type];
      if (refused.has(type)) expect([sent, found]).toEqual([sent, undefined]);
      else if (found !== undefined) taken++;
      if (found === undefined || type === 'phone' || type === 'number') continue;
      const text = withoutNul(sent);
      const expected = {
        choices: [normalized(sent)],
        address: { street: normalized(sent), floor: normalized(sent) },
        json: { [text]: [text] },
      };
      expect(found).toEqual(Object.hasOwn(expected, type) ? expected[type as keyof typeof expected] : normalized(sent));
    }
    // The list may contain no valid value of the types email, phone and date.
    expect(taken).toBeGreaterThan(['email', 'phone', 'date'].includes(type) ? -1 : 0);
  });

  test('a value that is neither rejected nor exported is blank', () => {
    for (const { sent, refused, lead } of eachLead()) {
      if (!refused.has(type) && lead.data[type] === undefined) expect(normalized(sent)).toBe('');
    }
  });
});

test('200 or 422: fields of type text and long_text accept every string', () => {
  expect(eachLead().filter(({ refused }) => refused.has('text') || refused.has('long_text'))).toEqual([]);
});

test('200 or 422: undeclared keys and values are exported as sent, without NUL', () => {
  for (const { sent, lead } of eachLead()) {
    const text = withoutNul(sent);
    expect(lead.data.free).toBe(text === '' ? undefined : text);
    if (isKey(sent)) expect(lead.data[text]).toBe(text);
  }
});

test('200 or 422: optional metadata is either dropped or exported without NUL; an exported page_url is trimmed', () => {
  for (const { sent, lead } of eachLead()) {
    const text = withoutNul(sent);
    expect(lead.webcomponent_args).toEqual({ [text]: text });
    expect(lead.cookie_consent).toEqual({ cmp: 'usercentrics', setting: { id: text } });
    expect(['[]', JSON.stringify([text])]).toContain(JSON.stringify(lead.steps.map(({ id }) => id)));
    expect([null, `https://shop.example/${text}`.trim()]).toContain(lead.page_url);
  }
  expect(eachLead().filter(({ lead }) => lead.steps.length === 1).length).toBeGreaterThan(400);
  expect(eachLead().filter(({ lead }) => lead.page_url !== null).length).toBeGreaterThan(100);
});

test('400: data with an empty or too long key is rejected, and nothing is stored', async () => {
  const ports = { funnels: createDynamoFunnelRepository(), leads: createDynamoLeadRepository() };
  const { post } = setUpSubmit({ funnel: { id: funnelId }, ports });
  const odd = NAUGHTY_STRINGS.filter((text) => !isKey(text));
  expect(odd.length).toBeGreaterThan(2);
  for (const text of odd) {
    const response = await post({ data: { [text]: 1 } });
    expect(response).toMatchObject({
      status: 400,
      body: {
        error: {
          message: expect.stringMatching(
            /^A key of body\.data has \d+ characters\. Keys must have 1 to 128 characters\.$/,
          ),
        },
      },
    });
  }
  const { err } = await admin(['leads', 'export', funnelId, '--format', 'jsonl']);
  expect(err).toBe(`Exported ${cases.length} leads.\n`);
});

test('the CSV export has the same values as the JSON Lines export', async () => {
  const { out } = await admin(['leads', 'export', funnelId]);
  const [head = [], ...rows] = parseCsv(out);
  const unguarded = (cell: string) => cell.replace(/^'(?='*[=+\-@\t\r\n＝＋－＠])/, '');
  const byId = new Map(
    rows.map((row) => [row[0], Object.fromEntries(row.map((cell, at) => [head[at], unguarded(cell)]))]),
  );
  expect(byId.size).toBe(cases.length);
  for (const { leadId, lead } of eachLead()) {
    const row = byId.get(leadId) ?? {};
    const { text = '', long_text: long = '', json, free, ...data } = lead.data;
    expect(row).toMatchObject({ text: String(text).toWellFormed(), long_text: String(long).toWellFormed() });
    expect(JSON.parse(row.json ?? '')).toEqual(json);
    const others = Object.entries({ free, ...data }).filter(([key]) => !TYPES.some((type) => type === key));
    const kept = Object.fromEntries(others.filter(([, value]) => value !== undefined));
    expect(JSON.parse(row.other || '{}')).toEqual(kept);
  }
});

test('the commands "leads show" and "leads list" print every lead without terminal control sequences', async () => {
  for (const { leadId } of cases) {
    const { code, out } = await admin(['leads', 'show', funnelId, leadId], { columns: 80 });
    expect(code).toBe(0);
    expect(out).toContain(leadId);
    expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
  }
  const { code, out } = await admin(['leads', 'list', funnelId, '--limit', '1000'], { columns: 80 });
  expect(code).toBe(0);
  expect(out.match(/^[0-9a-f-]{36}/gm)?.toSorted()).toEqual(cases.map(({ leadId }) => leadId).toSorted());
  expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
}, 60_000);
