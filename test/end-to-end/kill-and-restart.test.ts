import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Demo } from '../../infra/local/seed/demo-json.ts';
import { DEMO_VISITS } from '../../infra/local/seed/demo-visits.ts';
import { freePort } from '../support/free-port.ts';
import { type LocalRuntime, startLocalRuntime } from '../support/local/runtime.ts';

const LOAD_MS = 2_500;
const WAIT = { timeout: 60_000 };
const WORKERS = 8;

let state: string;
let running: LocalRuntime | undefined;

beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'tributary-kill-'));
});
afterEach(async () => {
  await running?.kill();
  running = undefined;
  await rm(state, { recursive: true, force: true });
}, 30_000);

const start = async () => {
  running = await startLocalRuntime({ state, args: ['--empty'], env: { LOCAL_RATE_LIMITS: 'off' } });
  return running;
};

type Acknowledged = { leads: Map<string, string>; sessions: number; sentSessions: number };

const post = (url: string, body: unknown) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

/** Submits leads and sends start events until the service is killed, and records the acknowledged leads and events. */
async function load({ baseUrl, funnel, emptyFunnel }: Demo, acknowledged: Acknowledged): Promise<void> {
  const funnels = `${baseUrl}/api/v2/public/funnel`;
  for (;;) {
    const note = randomUUID();
    const submitted = await post(`${funnels}/${emptyFunnel.id}/submit`, { data: { note } });
    if (submitted.ok) acknowledged.leads.set(((await submitted.json()) as { data: { id: string } }).data.id, note);
    const event = { eventId: randomUUID(), sessionId: note, timestamp: new Date().toISOString() };
    acknowledged.sentSessions++;
    const sent = await post(`${funnels}/${funnel.id}/analytics`, {
      events: [{ ...event, payload: { type: 'start' } }],
    });
    if (sent.ok && ((await sent.json()) as { received: number }).received === 1) acknowledged.sessions++;
  }
}

async function storedNote(client: DynamoDBClient, { emptyFunnel, aws }: Demo, leadId: string): Promise<unknown> {
  const Key = { pk: `lead#${emptyFunnel.id}#${leadId}`, sk: 'lead' };
  const { Item } = await client.send(new GetCommand({ TableName: aws.tables.leads, Key }));
  return Item?.['d.note'];
}

async function totalStarts({ baseUrl, organizations, funnel, tokens }: Demo): Promise<number> {
  const path = `/api/v2/organizations/${organizations.a.id}/funnels/${funnel.id}/analytics/overview?range=7d`;
  const answer = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${tokens.memberA}` } });
  const { overview } = (await answer.json()) as { overview: { totalStarts: number } };
  return overview.totalStarts;
}

/** Whether a process listens on the port of the URL. */
const answers = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  );

async function expectGone(...urls: string[]): Promise<void> {
  const deadline = Date.now() + 5_000;
  for (const url of urls) {
    while (await answers(url)) {
      expect(Date.now(), `A process still listens on ${url}`).toBeLessThan(deadline);
      await delay(50);
    }
  }
}

const partsOf = ({ baseUrl, pages, aws }: Demo) => [baseUrl, pages.funnel, aws.dynamodb, aws.kinesis, aws.s3];

test('after kill -9 of the process group under load, all acknowledged leads and events exist', async () => {
  const killed = await start();
  const acknowledged: Acknowledged = { leads: new Map(), sessions: 0, sentSessions: 0 };
  // `allSettled` handles the rejections of the workers, whose requests fail when the processes are killed.
  const workers = Promise.allSettled(Array.from({ length: WORKERS }, () => load(killed.demo, acknowledged)));
  await delay(LOAD_MS);
  // Continues the load until enough leads and events are acknowledged, which takes seconds on a busy machine.
  await expect.poll(() => Math.min(acknowledged.leads.size, acknowledged.sessions), WAIT).toBeGreaterThan(20);
  await killed.kill();
  await workers;

  const { demo } = await start();
  const client = new DynamoDBClient({
    endpoint: demo.aws.dynamodb,
    region: demo.aws.region,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  for (const [leadId, note] of acknowledged.leads) {
    expect(await storedNote(client, demo, leadId)).toBe(JSON.stringify(note));
  }
  let starts = 0;
  for (let attempt = 0; attempt < 50 && starts < acknowledged.sessions; attempt++) {
    await delay(200);
    starts = await totalStarts(demo);
  }
  expect(starts).toBeGreaterThanOrEqual(acknowledged.sessions);
  expect(starts).toBeLessThanOrEqual(acknowledged.sentSessions);
}, 120_000);

const LEFTOVER = 'leftover';

/** Kills a first start while it is seeding. Adds an object, which the next start must delete before it seeds again. */
async function interruptSeeding(): Promise<void> {
  const script = join(import.meta.dirname, '../../infra/local/start.ts');
  const port = String(await freePort());
  const seeding = spawn(process.execPath, [script, '--state', state, '--port', port], { stdio: 'pipe' });
  for await (const chunk of seeding.stdout) if (String(chunk).includes('sessions')) break;
  seeding.kill('SIGKILL');
  await once(seeding, 'exit');
  expect(await readdir(state)).toContain('dynamodb');
  await rm(join(state, 'seeded'), { force: true });
  await writeFile(join(state, 's3', LEFTOVER), '');
}

test('after a kill during seeding, the next start seeds again, and the overview counts exactly the demo’s sessions', async () => {
  await interruptSeeding();
  running = await startLocalRuntime({ state });
  expect(await readdir(join(state, 's3'))).not.toContain(LEFTOVER);
  const { baseUrl, organizations, funnel, tokens } = running.demo;
  const path = `/api/v2/organizations/${organizations.a.id}/funnels/${funnel.id}/analytics/overview?range=all`;
  const answer = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${tokens.memberA}` } });
  const { devices } = (await answer.json()) as { devices: { total: number }[] };
  expect(devices.reduce((sum, { total }) => sum + total, 0)).toBe(DEMO_VISITS);
}, 120_000);

test('after kill -9 of only the runtime process, no process listens on its ports, and the next start works', async () => {
  const { demo } = await start();
  process.kill(Number(await readFile(join(state, 'lock'), 'utf8')), 'SIGKILL');
  await expectGone(...partsOf(demo));
  await running?.kill();
  expect((await start()).demo.organizations).toEqual(demo.organizations);
}, 120_000);

test('Ctrl-C, or SIGTERM to npm alone, stops all processes within 5 seconds, and tokens stay valid after a restart', async () => {
  const first = await start();
  process.kill(first.pid, 'SIGTERM');
  await expectGone(...partsOf(first.demo));
  await first.kill();
  const second = await start();
  expect(await totalStarts({ ...second.demo, tokens: first.demo.tokens })).toBe(0);
  const began = Date.now();
  await second.stop();
  expect(Date.now() - began).toBeLessThan(5_000);
  expect(second.output()).toMatch(
    /\nStopping\. The state stays in .*\. The next start with this folder continues with it\.\n/,
  );
  await expectGone(...partsOf(second.demo));
}, 120_000);
