import fc from 'fast-check';
import { beforeEach, expect, test, vi } from 'vitest';
import { SEND_COOLDOWN_SECONDS } from '../../../shared/verification/send-rate-limits.ts';
import { CODE_MINUTES } from '../../../shared/verification/verification-state.ts';
import type { VerificationState } from '../../../web/page-client/verification.d.mts';
import { createVerification } from '../../../web/page-client/verification.ts';
import { advance, apiError, createFunnelStub, json, loginPage, settle, usePage, useService } from './part-world.ts';

const page = usePage();
const { requests, respond } = useService(
  (url, { body, headers }) => ({
    url,
    body: JSON.parse(`${body}`) as Record<string, string>,
    headers: headers as Record<string, string>,
  }),
  50,
);
let stored = new Map<string, string>();

beforeEach(() => {
  vi.stubGlobal('document', { documentElement: { lang: 'de' } });
  stored = new Map();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
});

const sentBy = (channel: string, available = ['email', 'sms']) =>
  json(200, { data: { channel, masked_destination: `masked ${channel}`, available_channels: available } });
const sent = () => sentBy('email');
const verified = () => json(200, { data: { verified: true, contact_field: 'email' } });
const refused = (status: number, code: string, retryAfter?: number) => () =>
  apiError(status, code, retryAfter === undefined ? {} : { 'Retry-After': `${retryAfter}` });

function open(lead?: Parameters<typeof createFunnelStub>[0]) {
  const states: VerificationState[] = [];
  const verification = createVerification(createFunnelStub(lead), { onChange: (state) => states.push(state) });
  return { verification, states, send: (channel?: 'email' | 'sms') => settle(verification.send(channel)) };
}

const SECONDS = 1_000;

test('sends a code with the lead handle, in the language of the page', async () => {
  respond(sent);
  const { send } = open();
  expect(await send()).toMatchObject({
    status: 'sent',
    channel: 'email',
    maskedDestination: 'masked email',
    availableChannels: ['email', 'sms'],
  });
  expect(requests).toEqual([
    {
      url: 'https://api.example/api/v2/public/funnel/funnel-1/mfa/send',
      body: { lead_id: 'lead-1', update_token: 'token-1' },
      headers: { 'Content-Type': 'application/json', 'Accept-Language': 'de' },
    },
  ]);
});

test.each([
  ['de_DE', 'de-DE'],
  ['{{ lang }}', '---lang---'],
  // The page has no language, so the header has the language of the browser.
  ['', 'en-US-posix'],
])('for the page language "%s", the header Accept-Language is %s', async (lang, expected) => {
  vi.stubGlobal('document', { documentElement: { lang } });
  vi.stubGlobal('navigator', { language: 'en-US@posix' });
  respond(sent);
  await open().send();
  expect(requests[0]?.headers['Accept-Language']).toBe(expected);
});

test('a double click sends one code, and both clicks get its outcome', async () => {
  respond(sent);
  const { verification } = open();
  const outcomes = await settle(Promise.all([verification.send(), verification.send()]));
  expect(outcomes[0]).toMatchObject({ status: 'sent' });
  expect(outcomes[1]).toBe(outcomes[0]);
  expect(requests).toHaveLength(1);
});

test('a code by a second channel waits for the first code; two clicks on the second channel send one code', async () => {
  respond(sent, () => sentBy('sms'));
  const { verification } = open();
  const outcomes = [verification.send(), verification.send('sms')];
  await advance(70);
  outcomes.push(verification.send('sms'));
  expect((await settle(Promise.all(outcomes))).map(({ status }) => status)).toEqual(['sent', 'sent', 'sent']);
  expect(requests.map(({ body }) => body.channel)).toEqual([undefined, 'sms']);
});

test('if onChange throws while a code is being sent, the next code is still sent', async () => {
  respond(sent);
  const onChange = vi.fn().mockImplementationOnce(() => {
    throw new Error('The page failed.');
  });
  const verification = createVerification(createFunnelStub(), { onChange });
  const outcomes = Promise.allSettled([verification.send(), verification.send('sms')]);
  expect((await settle(outcomes)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});

test('requests never overlap, whatever the visitor clicks', async () => {
  let running = 0;
  let mostRunning = 0;
  vi.stubGlobal('fetch', async (url: string) => {
    running += 1;
    mostRunning = Math.max(mostRunning, running);
    await new Promise((resolve) => setTimeout(resolve, 50));
    running -= 1;
    return url.endsWith('send') ? sent() : refused(400, 'code_invalid')();
  });
  const clicks = fc.array(fc.tuple(fc.constantFrom('send', 'sms', '111111', '222222'), fc.nat(120)), { maxLength: 20 });
  const random = fc.asyncProperty(clicks, async (all) => {
    const { verification } = open();
    const outcomes: Promise<{ status: string }>[] = [];
    for (const [click, ms] of all) {
      if (click === 'send') outcomes.push(verification.send());
      else outcomes.push(click === 'sms' ? verification.send('sms') : verification.check(click));
      await advance(ms);
    }
    const statuses = (await settle(Promise.all(outcomes))).map(({ status }) => status);
    expect(statuses).toEqual(all.map(([click]) => (/^\d/.test(click) ? 'incorrect' : 'sent')));
  });
  await fc.assert(random, { numRuns: 50 });
  expect(mostRunning).toBe(1);
});

test('the visitor can choose another channel, which has its own waiting time', async () => {
  respond(sent, refused(429, 'rate_limited', 600), () => sentBy('sms'));
  const { verification, send } = open();
  await send();
  const retryAtMs = expect.closeTo(Date.now() + 600 * SECONDS, -3);
  expect(await send('sms')).toEqual({ status: 'waiting', retryAtMs });
  expect(await verification.state()).toMatchObject({ resendSeconds: 30, sent: { channel: 'email' } });
  await send('sms');
  expect(await verification.state()).toMatchObject({ sent: { channel: 'sms', maskedDestination: 'masked sms' } });
  expect(requests.map(({ body }) => body.channel)).toEqual([undefined, 'sms', 'sms']);
});

test.each([
  ['400', 'bad_request', 'unavailable'],
  ['403', 'invalid_update_token', 'unavailable'],
  ['404', 'not_found', 'unavailable'],
  ['500', 'internal_error', 'failed'],
])('%s %s: the outcome is %s, without a retry', async (status, code, outcome) => {
  respond(refused(Number(status), code));
  expect(await open().send()).toEqual({ status: outcome });
  expect(await settle(open().verification.check('123456'))).toEqual({ status: outcome });
  expect(requests).toHaveLength(2);
});

test('without a lead, nothing can be verified, and no request is sent', async () => {
  const { verification, send } = open(() => undefined);
  expect(await send()).toEqual({ status: 'unavailable' });
  expect(await settle(verification.check('123456'))).toEqual({ status: 'unavailable' });
  expect(requests).toEqual([]);
});

test.each([
  ['no connection', () => undefined, 'unreachable'],
  ['a login page', loginPage, 'unreachable'],
  ['JSON that is not of the API', () => json(403, { message: 'Forbidden' }), 'unreachable'],
  ['502', refused(502, 'service_unavailable'), 'failed'],
  ['503', refused(503, 'service_unavailable', 1), 'failed'],
])('%s in every attempt: sends the same request three times', async (_what, response, outcome) => {
  respond(response);
  expect(await open().send()).toEqual({ status: outcome });
  expect(requests).toHaveLength(3);
  expect(new Set(requests.map((request) => JSON.stringify(request))).size).toBe(1);
});

test('503 with a long wait: fails without a retry', async () => {
  respond(refused(503, 'service_unavailable', 120));
  expect(await open().send()).toEqual({ status: 'failed' });
  expect(requests).toHaveLength(1);
});

test('if a response was lost and the browser goes online, the request is repeated at once', async () => {
  respond(() => undefined, sent);
  const outcome = open().verification.send();
  await advance(60);
  expect(requests).toHaveLength(1);
  page.goOnline();
  await advance(60);
  expect(requests).toHaveLength(2);
  expect(await outcome).toMatchObject({ status: 'sent' });
});

test('429: the state contains the seconds to wait, even if no code was sent before', async () => {
  respond(refused(429, 'rate_limited', 20));
  const { verification, send } = open();
  expect(await send()).toEqual({ status: 'waiting', retryAtMs: expect.any(Number) });
  expect(await verification.state()).toMatchObject({ sent: undefined, resendSeconds: 20 });
  expect(requests).toHaveLength(1);
});

test('calls onChange each second of the wait for another code, and once when the code expires', async () => {
  respond(sent);
  const { send, states } = open();
  await send();
  states.length = 0;
  await advance(CODE_MINUTES * 60 * SECONDS - 100);
  expect(states.map(({ resendSeconds }) => resendSeconds)).toEqual(
    Array.from({ length: SEND_COOLDOWN_SECONDS }, (_, index) => SEND_COOLDOWN_SECONDS - 1 - index),
  );
  expect(states.at(-1)?.sent).toBeDefined();
  await advance(200);
  expect(states.at(-1)?.sent).toBeUndefined();
  expect(states).toHaveLength(SEND_COOLDOWN_SECONDS + 1);
  expect(vi.getTimerCount()).toBe(0);
  expect(stored.size).toBe(0);
});

test('after close(), onChange is not called any more', async () => {
  respond(sent);
  const { send, states, verification } = open();
  await send();
  verification.close();
  states.length = 0;
  await advance(60 * SECONDS);
  await verification.state();
  await send();
  expect(states).toEqual([]);
});

test('the wait for another code elapses even while the device sleeps', async () => {
  respond(sent);
  const { send, verification } = open();
  await send();
  vi.setSystemTime(Date.now() + 20 * SECONDS);
  expect((await verification.state()).resendSeconds).toBe(10);
});

test('moving the clock back does not extend the wait; a reload then restarts the wait at 30 seconds', async () => {
  respond(sent);
  const { send, verification } = open();
  await send();
  vi.setSystemTime(Date.now() - 3_600 * SECONDS);
  await advance(10 * SECONDS);
  const { resendSeconds, sent: code } = await verification.state();
  expect(resendSeconds).toBe(20);
  expect((code?.resendAtMs ?? 0) - Date.now()).toBeGreaterThan(19 * SECONDS);
  expect((code?.resendAtMs ?? 0) - Date.now()).toBeLessThanOrEqual(20 * SECONDS);
  const reloaded = open().verification;
  expect((await reloaded.state()).resendSeconds).toBe(30);
  await advance(10 * SECONDS);
  expect((await reloaded.state()).resendSeconds).toBe(20);
});

test('after a reload, the page still knows that a code was sent, and the wait continues', async () => {
  respond(sent);
  await open().send();
  await advance(12 * SECONDS);
  const { verification, states } = open();
  expect(await verification.state()).toMatchObject({ resendSeconds: 18, sent: { maskedDestination: 'masked email' } });
  await advance(2 * SECONDS);
  expect(states.map(({ resendSeconds }) => resendSeconds)).toEqual([18, 17, 16]);
  expect(requests).toHaveLength(1);
});

test('after a reload, the state does not contain a code that has expired', async () => {
  respond(sent);
  const { send, verification } = open();
  await send();
  verification.close();
  vi.setSystemTime(Date.now() + CODE_MINUTES * 60 * SECONDS);
  expect((await open().verification.state()).sent).toBeUndefined();
  expect(stored.size).toBe(0);
});

test('the state of a lead does not contain the code of another lead', async () => {
  respond(sent);
  await open().send();
  const other = open(() => ({ id: 'lead-2', update_token: 'token-2' }));
  expect(await other.verification.state()).toMatchObject({ sent: undefined, resendSeconds: 0 });
});

test('where storage is blocked, the page knows until a reload that a code was sent, and can check a code', async () => {
  const blocked = () => {
    throw new DOMException('Blocked.', 'SecurityError');
  };
  vi.stubGlobal('sessionStorage', { getItem: blocked, setItem: blocked, removeItem: blocked });
  respond(sent, verified);
  const { send, verification } = open();
  await send();
  expect((await verification.state()).sent).toBeDefined();
  expect(await settle(verification.check('123456'))).toMatchObject({ status: 'verified' });
});

test.each([
  ['code_invalid', 'incorrect'],
  ['code_expired', 'expired'],
])('400 %s: the code is %s, and another code can be checked', async (code, status) => {
  respond(refused(400, code), verified);
  const { verification } = open();
  expect(await settle(verification.check('111111'))).toEqual({ status });
  expect(await settle(verification.check('222 222'))).toEqual({ status: 'verified', contactField: 'email' });
  expect(requests.map(({ body }) => body)).toEqual([
    { lead_id: 'lead-1', update_token: 'token-1', code: '111111' },
    { lead_id: 'lead-1', update_token: 'token-1', code: '222222' },
  ]);
});

test('429 too_many_attempts: no code is checked before the end of the wait, also after a reload', async () => {
  respond(refused(429, 'too_many_attempts', 600), verified);
  const { verification } = open();
  const retryAtMs = expect.closeTo(Date.now() + 600 * SECONDS, -3);
  expect(await settle(verification.check('111111'))).toEqual({ status: 'waiting', retryAtMs });
  expect(await settle(verification.check('222222'))).toEqual({ status: 'waiting', retryAtMs });
  const reloaded = open().verification;
  expect(await settle(reloaded.check('222222'))).toEqual({ status: 'waiting', retryAtMs });
  expect((await reloaded.state()).checkSeconds).toBeGreaterThan(595);
  expect(requests).toHaveLength(1);
  await advance(600 * SECONDS);
  expect(await settle(reloaded.check('333333'))).toMatchObject({ status: 'verified' });
});

test('a check whose response was lost is repeated', async () => {
  respond(() => undefined, verified);
  expect(await settle(open().verification.check('123456'))).toMatchObject({ status: 'verified' });
  expect(requests.map(({ body }) => body.code)).toEqual(['123456', '123456']);
});

test('an incomplete code is incorrect, and is not sent, because it would count as a failed attempt', async () => {
  for (const code of ['', '12345', '1234567', 'abcdef'])
    expect(await open().verification.check(code)).toEqual({ status: 'incorrect' });
  expect(requests).toEqual([]);
});

test('after verification, the state and the storage no longer contain the code', async () => {
  respond(sent, verified);
  const { send, verification, states } = open();
  await send();
  await settle(verification.check('123456'));
  expect(await verification.state()).toMatchObject({ sent: undefined, resendSeconds: 0, isChecking: false });
  expect(stored.size).toBe(0);
  expect(states.map(({ isSending, isChecking }) => `${Number(isSending)}${Number(isChecking)}`)).toEqual(
    expect.arrayContaining(['10', '00', '01']),
  );
});
