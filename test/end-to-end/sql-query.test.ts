import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { connectToEnvironment } from '../../infra/cli/environment/target-environment.ts';
import { DEMO_VISITS } from '../../infra/local/seed/demo-visits.ts';
import { withEnvironmentRestored } from '../support/cli/environment.ts';
import { npmAdmin } from '../support/cli/npm-admin.ts';
import { codeBlocksOf } from '../support/documents.ts';
import { type LocalRuntime, startLocalRuntime } from '../support/local/runtime.ts';

const ROOT = join(import.meta.dirname, '../..');
const TIMEOUT = 60_000;

let state: string;
let runtime: LocalRuntime;
beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'tributary-query-'));
  runtime = await startLocalRuntime({ state });
}, 120_000);
afterAll(async () => {
  await runtime?.stop();
  await rm(state, { recursive: true, force: true });
}, 30_000);

type Result = { code: number; out: string; err: string };

function npmQuery(...args: string[]): Promise<Result> {
  const whole = ['run', '-s', 'query', '--', ...args, '--state', state];
  return new Promise((resolve) => {
    execFile('npm', whole, { cwd: ROOT, maxBuffer: 1e8 }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

/**
 * Runs the command in this process. After a restart of the runtime, the test must reset the modules, because they keep
 * the addresses of the first start.
 */
async function query(...args: string[]): Promise<Result> {
  const { runQuery } = await import('../../infra/cli/query/program.ts');
  const { lakePorts } = await import('../../infra/cli/query/lake-ports.ts');
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = {
    columns: undefined,
    write: async (text: string) => void out.push(text),
    note: (line: string) => void err.push(`${line}\n`),
  };
  const ports = { terminal, connect: connectToEnvironment, ...lakePorts() };
  const code = await withEnvironmentRestored(() => runQuery([...args, '--state', state], ports));
  return { code, out: out.join(''), err: err.join('') };
}

type Row = Record<string, number | string | boolean | null>;

async function rowsOf(sql: string, ...args: string[]): Promise<Row[]> {
  const { code, out, err } = await query(sql, '--json', ...args);
  expect([code, err]).toEqual([0, expect.stringMatching(/ rows? in /)]);
  return JSON.parse(out);
}

const sum = (rows: readonly Row[], column: string) => rows.reduce((total, row) => total + Number(row[column]), 0);
const STEPS = ['project', 'details', 'contact', 'confirm'];

/** Functions that check the result of an example of the analysts' guide, by the title of the example. */
const EXAMPLES: Record<string, (rows: readonly Row[]) => void> = {
  'How did the last two weeks go?': (rows) => {
    expect(rows.length).toBeGreaterThanOrEqual(13);
    for (const { sessions, starts, completions, conversion_rate } of rows) {
      expect(Number(completions)).toBeLessThanOrEqual(Number(starts));
      expect(Number(starts)).toBeLessThanOrEqual(Number(sessions));
      expect(conversion_rate).toBe(Math.round((10_000 * Number(completions)) / Number(starts)) / 100);
    }
  },
  'Which channels bring offers, not only visitors?': (rows) => {
    expect(sum(rows, 'sessions')).toBe(DEMO_VISITS);
    expect(rows).toContainEqual(expect.objectContaining({ referrer: 'search.example', utm_medium: 'cpc' }));
  },
  'At which step do visitors stop?': (rows) => {
    expect(rows.map(({ step_id }) => step_id)).toEqual(STEPS);
    expect(rows[0]?.reached).toBe(DEMO_VISITS);
    for (const [at, row] of rows.entries()) expect(row.reached).toBe(at === 0 ? DEMO_VISITS : rows[at - 1]?.submitted);
  },
  'On which devices and browsers do they come, and how does each convert?': (rows) => {
    expect(sum(rows, 'sessions')).toBe(DEMO_VISITS);
    expect(sum(rows, 'share_percent')).toBeCloseTo(100, 0);
  },
  'Which hours of the week are the busiest?': (rows) => {
    expect(rows).toHaveLength(10);
    for (const { hour } of rows) expect(Number(hour)).toBeGreaterThan(15);
  },
  'Who came by one campaign and came back by another?': (rows) => {
    expect(new Set(rows.map(({ later_campaign }) => later_campaign))).toEqual(new Set(['come-back']));
    expect(sum(rows, 'sessions')).toBeGreaterThan(100);
  },
  'How long does it take from the first view to the offer?': (rows) => {
    expect(rows.map(({ device_type }) => device_type)).toEqual(['mobile', 'desktop', 'tablet']);
    for (const row of rows) expect(Number(row.p90_seconds)).toBeGreaterThan(Number(row.median_seconds));
  },
  'Which step takes the longest?': (rows) => {
    expect(rows.map(({ step_id }) => step_id).sort()).toEqual(STEPS.slice(0, 3).sort());
    expect(rows[0]?.step_id).toBe('details');
  },
  'How much of the traffic are crawlers, week by week?': (rows) => {
    expect(rows.length).toBeGreaterThanOrEqual(13);
    expect(sum(rows, 'by_bots')).toBeGreaterThan(0);
    for (const { bot_percent } of rows) expect(Number(bot_percent)).toBeLessThan(10);
  },
  'Which campaigns are paid for visitors who never start?': (rows) => {
    expect(rows.map(({ utm_campaign }) => utm_campaign).sort()).toEqual(['roof-check', 'spring-roofs', 'sunny-side']);
    for (const row of rows) expect(Number(row.never_started)).toBeLessThan(Number(row.sessions));
  },
};

describe('examples of the analysts’ guide on the demo funnel', () => {
  const blocks = codeBlocksOf('docs/guides/analysts.md');
  const block = blocks.find(({ language }) => language === 'sql')?.text ?? '';
  const examples = block.split(/(?<=;\n)\n/).map((sql) => ({ sql, title: /^-- \d+\. (.*)$/m.exec(sql)?.[1] ?? sql }));

  test('the guide has ten examples, and each has expectations', () => {
    expect(examples.map(({ title }) => title)).toEqual(Object.keys(EXAMPLES));
    expect(examples).toHaveLength(10);
  });

  test('the commands work as pasted', { timeout: TIMEOUT }, async () => {
    const named = blocks.flatMap(({ attributes, text }) => (attributes.test === undefined ? [] : { attributes, text }));
    expect(named.map(({ attributes }) => attributes.test)).toEqual(['queries']);
    const lines = named.map(({ text }) => text).join('');
    await writeFile(join(state, 'question.sql'), 'SELECT count(*) AS n FROM sessions');
    const command = `node '${join(ROOT, 'infra/cli/query/main.ts')}' --state '${state}'`;
    const script = lines.replace(/npm run (?:-s )?query --/g, command);
    const { stdout } = await promisify(execFile)('bash', ['-e', '-c', script], { cwd: state });
    expect(stdout).toMatch(/^funnel_id +day +sessions .*\n(?:[0-9a-f-]{36} .*\n){7} *n\n20000\n$/);
    expect((await readFile(join(state, 'sessions.csv'), 'utf8')).split('\r\n')).toHaveLength(1 + DEMO_VISITS + 1);
  });

  test.each(examples)('example “$title” returns the expected rows', { timeout: TIMEOUT }, async ({ sql, title }) => {
    const rows = await rowsOf(sql, '--timezone', 'Europe/Berlin');
    expect(rows.length).toBeGreaterThan(0);
    EXAMPLES[title]?.(rows);
  });
});

test(
  'facts and raw events of the demo agree on every session',
  async () => {
    const rows = await rowsOf(`
      SELECT count(*) AS sessions, count_if(
        e.first_time IS DISTINCT FROM s.first_time OR e.started IS DISTINCT FROM s.started
        OR e.completed IS DISTINCT FROM s.completed OR e.referrer IS DISTINCT FROM s.referrer
      ) AS different
      FROM sessions s FULL JOIN (
        SELECT funnel_id, session_key, min(event_time) AS first_time, arg_min(referrer, event_time) AS referrer,
          bool_or(kind IN ('start', 'step_submit', 'complete') OR coalesce(step_index, 0) >= 1) AS started,
          bool_or(kind = 'complete') AS completed
        FROM events WHERE NOT bot GROUP BY funnel_id, session_key
      ) e ON e.funnel_id = s.funnel_id AND e.session_key = s.session_key`);
    expect(rows).toEqual([{ sessions: DEMO_VISITS, different: 0 }]);
  },
  TIMEOUT,
);

test(
  'the API and SQL return the same numbers per day in the organization’s time zone',
  async () => {
    const { baseUrl, organizations, funnel, tokens } = runtime.demo;
    const path = `/api/v2/organizations/${organizations.a.id}/funnels/${funnel.id}/analytics/timeseries?range=all&granularity=day`;
    const answer = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${tokens.memberA}` } });
    const { points } = (await answer.json()) as { points: { bucket: string; starts: number; completions: number }[] };
    const fromApi = points.map(({ bucket, starts, completions }) => ({
      day: bucket.slice(0, 10),
      starts,
      completions,
    }));
    const sql = `SELECT day, starts, completions FROM funnel_daily WHERE funnel_id = '${funnel.id}' ORDER BY day`;
    const fromSql = await rowsOf(sql, '--timezone', organizations.a.timezone);
    const lastDay = String(fromSql.at(-1)?.day);
    expect(fromSql).toEqual(fromApi.filter(({ day }) => day <= lastDay));
    // After midnight in the organization's time zone, the API also returns the new day, which has no events yet.
    const later = fromApi.filter(({ day }) => day > lastDay);
    expect(later.every(({ starts, completions }) => starts === 0 && completions === 0)).toBe(true);
  },
  TIMEOUT,
);

test(
  'reported events appear in the view `events` within seconds and survive kill -9',
  async () => {
    const { funnel } = runtime.demo;
    const sent = async () => {
      const event = { eventId: randomUUID(), sessionId: 's', timestamp: new Date().toISOString(), stepId: 'sent' };
      const url = `${runtime.demo.baseUrl}/api/v2/public/funnel/${funnel.id}/analytics`;
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ events: [event] }),
      });
      expect(await answer.json()).toEqual({ received: 1 });
      return event.eventId;
    };
    const arrived = async () =>
      (await rowsOf(`SELECT event_id FROM events WHERE step_id = 'sent' ORDER BY event_id`)).map(
        ({ event_id }) => event_id,
      );
    const expectSoon = async (ids: readonly string[]) => {
      const deadline = Date.now() + 20_000;
      while ((await arrived()).length < ids.length && Date.now() < deadline) await delay(500);
      expect(await arrived()).toEqual(ids.toSorted());
    };
    const first = await sent();
    await expectSoon([first]);
    const second = await sent();
    await runtime.kill();
    runtime = await startLocalRuntime({ state });
    vi.resetModules();
    await expectSoon([first, second]);
  },
  2 * TIMEOUT,
);

test(
  'npm run query reads SQL from a file; if no service runs, npm run query and npm run admin print a one-line error',
  async () => {
    const file = join(state, 'question.sql');
    await writeFile(file, 'SELECT count(*) AS n\nFROM sessions;\n');
    const { code, out } = await npmQuery('--file', file, '--csv');
    expect([code, out]).toEqual([0, expect.stringMatching(/^n\r\n\d{5}\r\n$/)]);
    await runtime.stop();
    for (const down of [await npmQuery('SELECT 1'), await npmAdmin({ state }, 'organizations', 'list')]) {
      expect([down.code, down.out]).toEqual([1, '']);
      expect(down.err).toMatch(/^Tributary is not running with the state in .*: start it with "npm start" .*\.\n$/);
    }
  },
  TIMEOUT,
);
