import { expect, test } from 'vitest';
import { formatCompact, parseAmount } from '../../../../infra/cli/cost/amount.ts';
import { runCost } from '../../../../infra/cli/cost/program.ts';

async function cost(args: string, columns?: number) {
  const [out, notes]: [string[], string[]] = [[], []];
  const terminal = {
    columns,
    write: async (text: string) => void out.push(text),
    note: (line: string) => void notes.push(line),
  };
  const code = await runCost(
    args.split(' ').filter((arg) => arg !== ''),
    terminal,
  );
  return { code, out: out.join(''), notes: notes.join('\n') };
}

test.each([
  ['1e8', 1e8],
  ['10M', 1e7],
  ['2.5k', 2_500],
  ['1_000', 1_000],
  ['1,000,000', 1e6],
  ['3 B', 3e9],
  ['0', 0],
])('the amount %s is parsed as %d', (text, amount) => expect(parseAmount(text)).toBe(amount));

test.each(['', '-1', 'many', '1e', '1e99', '10X', 'NaN', '0x10', '1,0', '.5'])(
  '"%s" is rejected as an amount',
  (text) => expect(parseAmount(text)).toBeUndefined(),
);

test('an amount is formatted with at most three significant digits', () => {
  expect([0, 7, 999, 1_250, 999_600, 48_160_000, 1.25e9, 2e12].map(formatCompact)).toEqual([
    '0',
    '7',
    '999',
    '1.25k',
    '1M',
    '48.2M',
    '1.25B',
    '2T',
  ]);
});

test('without volumes, the command prints three sample months in columns, and their exceeded or closest limits', async () => {
  const { code, out } = await cost('');
  expect(code).toBe(0);
  expect(out).toMatch(/1M events +100M events +10B events/);
  expect(out).toMatch(/Leads, per 1,000 leads/);
  expect(out.match(/^ {2}(Exceeded first|Closest to its limit): /gm)).toHaveLength(3);
  expect(out).toMatch(/List prices of us-east-1 as of \d{4}-\d\d-\d\d.*without free tiers and discounts/);
  expect(out).toMatch(/Unverified prices: .*SMS/);
});

test('with volumes, the command prints the cost of one month by service, per 1,000 leads and per 1M events', async () => {
  const { code, out } = await cost('--leads 1e5 --events 1e8 --sessions 1e7 --funnels 50');
  expect(code).toBe(0);
  expect(out).toMatch(/^A month of 100M events, 10M sessions and 100k leads, stage prod\./);
  for (const service of ['API Gateway', 'DynamoDB', 'Kinesis', 'Total']) expect(out).toContain(service);
  expect(out).toMatch(/1,000 leads cost \$\d+\.\d\d, and 1M analytics events \$\d+\.\d\d\./);
});

test.each(['', '--events 1e10', '--help'])(
  'with the options "%s", all lines fit into a terminal of 80 columns',
  async (args) => {
    const { out } = await cost(args, 80);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  },
);

test('--json prints the volumes and the cost of each month', async () => {
  const { code, out } = await cost('--events 10M --stage dev --json');
  expect(code).toBe(0);
  const { months, ...about } = JSON.parse(out);
  expect(about).toMatchObject({ region: 'us-east-1', stage: 'dev', unverified: expect.arrayContaining(['sms']) });
  expect(months).toMatchObject([{ volumes: { events: 1e7, sessions: 2e6 }, total: expect.any(Number) }]);
  expect(JSON.parse((await cost('--json --compare --queries 5')).out).months).toHaveLength(3);
});

test('--help lists the volumes with their defaults', async () => {
  const { code, out } = await cost('--help');
  expect(code).toBe(0);
  expect(out).toContain('--events-per-request <amount>');
  expect(out).toMatch(/--reads <amount> .*60 x members/);
});

test.each([
  ['--events many', 'Give a number such as 1e8, 10M or 2.5k, up to 1e15.'],
  ['--leads -5', 'Give a number such as 1e8, 10M or 2.5k, up to 1e15.'],
  ['--events 1e16', 'up to 1e15'],
  ['--stage test', 'Allowed choices are dev, prod, preview.'],
  ['--compare --events 5', "option '--compare' cannot be used with option '--events <amount>'"],
  ['--evnts 5', "unknown option '--evnts'"],
  ['5', 'too many arguments'],
])('2: the arguments %s are rejected with a message', async (args, sentence) => {
  const { code, notes, out } = await cost(args);
  expect([code, out]).toEqual([2, '']);
  expect(notes).toContain(sentence);
});

test.each([
  ['--events 5 --sessions 6', '--sessions must not be more than --events: every session has at least one event.'],
  ['--events 5 --months 0', '--months (months of stored data) must be from 1 to 120.'],
  ['--events 5 --events-per-request 501', '--events-per-request (events per request) must be from 1 to 500.'],
  ['--events 5 --funnels 0', '--funnels (funnels with visitors) must be from 1'],
])('1: the volumes %s are rejected with a message', async (args, sentence) => {
  const { code, notes, out } = await cost(args);
  expect([code, out]).toEqual([1, '']);
  expect(notes).toContain(sentence);
});
