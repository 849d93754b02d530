import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocalRuntime, startLocalRuntime } from '../support/local/runtime.ts';

let runtime: LocalRuntime;
let state: string;
const start = async () => {
  runtime = await startLocalRuntime({ args: ['--empty'], state });
};
beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'tributary-'));
  await start();
}, 120_000);
afterAll(async () => {
  await runtime?.stop();
  await rm(state, { recursive: true, force: true });
}, 30_000);

type Answer = { status: number; body: { data?: Record<string, unknown>; error?: { code: string } } };

const post = async (path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> => {
  const { baseUrl, funnel } = runtime.demo;
  const answer = await fetch(`${baseUrl}/api/v2/public/funnel/${funnel.id}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
};

/** Sends the headers of a request. `arrived` resolves at `100 Continue`. `complete` sends the body. */
const announced = (path: string, body: object) => {
  const { baseUrl, funnel } = runtime.demo;
  const sent = request(`${baseUrl}/api/v2/public/funnel/${funnel.id}/${path}`, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', expect: '100-continue' },
  });
  const answered = new Promise<number>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
  });
  const arrived = once(sent, 'continue');
  sent.flushHeaders();
  const complete = () => {
    sent.end(JSON.stringify(body));
    return answered;
  };
  return { arrived, complete };
};

type Stored = {
  emails: { destination: { to: string[] }; subject: string; body: { text: string; html: string } }[];
  sms: { destination: string; body: string }[];
  messages: { channel: string; to: string[]; text: string }[];
};
const mailbox = async (): Promise<Stored> => (await fetch(runtime.demo.mailbox)).json() as Promise<Stored>;
const codeTo = async (destination: string): Promise<string> => {
  const { messages } = await mailbox();
  const text = messages.findLast(({ to }) => to.includes(destination))?.text ?? '';
  return /\b\d{6}\b/.exec(text)?.[0] ?? '';
};

const aLead = async (data: object): Promise<{ lead_id: string; update_token: string }> => {
  const { body } = await post('submit', { data });
  return { lead_id: String(body.data?.id), update_token: String(body.data?.update_token) };
};

test('a code by e-mail verifies the address of a lead, and a code by SMS verifies its phone number', async () => {
  const lead = await aLead({ email: 'ada@shop.example', phone: '030 901820' });
  expect(await post('mfa/send', lead)).toEqual({
    status: 200,
    body: { data: { channel: 'email', masked_destination: 'a***@s***.example', available_channels: ['email', 'sms'] } },
  });
  expect(await post('mfa/check', { ...lead, code: await codeTo('ada@shop.example') })).toEqual({
    status: 200,
    body: { data: { verified: true, contact_field: 'email' } },
  });
  expect(await post('mfa/send', { ...lead, channel: 'sms' })).toMatchObject({
    status: 200,
    body: { data: { channel: 'sms', masked_destination: '+49*****20' } },
  });
  expect(await post('mfa/check', { ...lead, code: await codeTo('+4930901820') })).toMatchObject({
    status: 200,
    body: { data: { verified: true, contact_field: 'phone' } },
  });
});

test('one of 20 concurrent checks of a correct code succeeds; a check after the verification also succeeds', async () => {
  const lead = await aLead({ email: 'grace@shop.example' });
  await post('mfa/send', lead);
  const code = await codeTo('grace@shop.example');
  const checks = Array.from({ length: 20 }, () => announced('mfa/check', { ...lead, code }));
  // All requests arrive before the first request is complete, even on a busy machine.
  await Promise.all(checks.map(({ arrived }) => arrived));
  const statuses = await Promise.all(checks.map(({ complete }) => complete()));
  expect(statuses.sort()).toEqual([200, ...Array.from({ length: 19 }, () => 400)]);
  expect((await post('mfa/check', { ...lead, code })).status).toBe(200);
});

test('the mailbox keeps messages after kill -9', async () => {
  const before = await mailbox();
  expect(before.messages.length).toBeGreaterThan(0);
  await runtime.kill();
  await start();
  expect(await mailbox()).toEqual(before);
}, 120_000);
