import { describe, expect, test } from 'vitest';
import { HttpError } from '../../../../shared/http/errors.ts';
import type { RateLimiter } from '../../../../shared/platform/rate-limiter.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import {
  anAddress,
  EMAIL,
  errorCode,
  setUpVerification,
  type VerificationWorld,
} from '../../../support/verification/verification.ts';

useDynamo();

const MINUTE_MS = 60_000;

/** Requests a code after the cooldown. */
const sendLater = async ({ clock, send }: VerificationWorld, ...given: Parameters<VerificationWorld['send']>) => {
  clock.ms += 31_000;
  return send(...given);
};

test('429: rejects a second send to a destination within 30 s, and returns the remaining seconds', async () => {
  const world = setUpVerification();
  const { aLead, send, sent, clock } = world;
  const lead = await aLead();
  await send(lead);
  clock.ms += 12_000;
  expect(await send(lead)).toMatchObject({
    status: 429,
    headers: { 'retry-after': '18', 'ratelimit-limit': '1', 'ratelimit-remaining': '0', 'ratelimit-reset': '18' },
    body: { error: { code: 'rate_limited' } },
  });
  expect(sent).toHaveLength(1);
  clock.ms += 18_000;
  expect((await send(lead)).status).toBe(200);
});

test('429: the cooldown applies to all spellings of a destination and all leads of the organization', async () => {
  const { aLead, send, sent } = setUpVerification();
  await send(await aLead({ email: 'Ada@Bücher.example' }));
  expect((await send(await aLead({ email: 'ada@xn--bcher-kva.EXAMPLE' }))).status).toBe(429);
  expect(sent).toHaveLength(1);
});

test('429: a Gmail mailbox gets only one code within 30 s, even if a hundred requests spell its address differently', async () => {
  const { aLead, send, sent } = setUpVerification();
  for (let count = 0; count < 100; count++) {
    const email = `${count % 2 ? 'a.d.a' : 'ada'}+${count}@${count % 3 ? 'gmail.com' : 'GoogleMail.com'}`;
    expect((await send(await aLead({ email }), { ip: anAddress() })).status).toBe(count === 0 ? 200 : 429);
  }
  expect(sent.map(({ to }) => to)).toEqual(['ada+0@GoogleMail.com']);
});

test('429: rejects the sixth send for a lead within ten minutes, to any destination', async () => {
  const world = setUpVerification();
  const lead = await world.aLead();
  for (let count = 0; count < 5; count++) expect((await sendLater(world, lead)).status).toBe(200);
  expect(await sendLater(world, lead)).toMatchObject({
    status: 429,
    headers: { 'ratelimit-policy': '"mfa-send-lead";q=5;w=600' },
  });
  expect((await sendLater(world, { ...lead, channel: 'sms' })).status).toBe(429);
  expect(world.sent).toHaveLength(5);
  world.clock.ms += 10 * MINUTE_MS;
  expect((await world.send(lead)).status).toBe(200);
});

test('429: rejects the eleventh send to a destination within an hour, over all leads', async () => {
  const world = setUpVerification();
  for (let count = 0; count < 10; count++) expect((await sendLater(world, await world.aLead())).status).toBe(200);
  expect(await sendLater(world, await world.aLead())).toMatchObject({
    status: 429,
    headers: { 'ratelimit-policy': '"mfa-send-destination";q=10;w=3600' },
  });
  expect(world.sent).toHaveLength(10);
});

test('429: rejects the 101st send from a client address within an hour, and accepts a send from another address', async () => {
  const { aLead, send, sent } = setUpVerification();
  const to = async (count: number, ip: string) => send(await aLead({ email: `v${count}@shop.example` }), { ip });
  for (let count = 0; count < 100; count++) expect((await to(count, '192.0.2.7')).status).toBe(200);
  expect(await to(100, '192.0.2.7')).toMatchObject({
    status: 429,
    headers: { 'ratelimit-policy': '"mfa-send-address";q=100;w=3600' },
  });
  expect(sent).toHaveLength(100);
  expect((await to(101, '192.0.2.8')).status).toBe(200);
});

test('429: rejects an SMS over the organization’s daily limit, and still sends e-mails', async () => {
  const { aLead, send, sent } = setUpVerification({ organization: { limits: { smsPerDay: 2 } } });
  const sms = async (phone: string) => send({ ...(await aLead({ phone, email: EMAIL })), channel: 'sms' });
  expect((await sms('+4930901821')).status).toBe(200);
  expect((await sms('+4930901822')).status).toBe(200);
  const refused = await sms('+4930901823');
  expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '43200' } });
  expect(errorCode(refused)).toBe('rate_limited');
  expect(sent).toHaveLength(2);
  expect((await send(await aLead({ phone: '+4930901823', email: EMAIL }))).status).toBe(200);
});

test('429: an organization with an SMS limit of 0 can send no SMS', async () => {
  const { aLead, send, sent } = setUpVerification({ organization: { limits: { smsPerDay: 0 } } });
  expect((await send({ ...(await aLead()), channel: 'sms' })).status).toBe(429);
  expect(sent).toEqual([]);
});

test('if a limit denies a send, the limits that the send has already consumed are refunded', async () => {
  const world = setUpVerification({ organization: { limits: { smsPerDay: 0 } } });
  const { aLead, send, clock } = world;
  const lead = await aLead({ phone: '+4930901824' });
  for (let count = 0; count < 12; count++) {
    const { headers } = await send(lead);
    expect(headers).toMatchObject({ 'ratelimit-policy': '"mfa-send-sms";q=0;w=86400' });
  }
  // A denied SMS does not prevent an e-mail for the same lead.
  const mail = await aLead({ email: 'order@shop.example', phone: '+4930901824' });
  expect((await send(mail)).status).toBe(200);
  clock.ms += 31_000;
  const other = { ...mail, channel: 'sms' };
  expect((await send(other)).headers).toMatchObject({ 'ratelimit-policy': expect.stringContaining('sms') });
  expect((await send(mail)).status).toBe(200);
});

test('a funnel’s limits replace the defaults', async () => {
  const world = setUpVerification({
    funnel: { limits: { sendsPerTenMinutesAndLead: 2, sendsPerHourAndDestination: 3 } },
  });
  const lead = await world.aLead();
  expect((await sendLater(world, lead)).status).toBe(200);
  expect((await sendLater(world, lead)).status).toBe(200);
  expect((await sendLater(world, lead)).headers).toMatchObject({ 'ratelimit-limit': '2' });
  expect((await sendLater(world, await world.aLead())).status).toBe(200);
  expect((await sendLater(world, await world.aLead())).headers).toMatchObject({ 'ratelimit-limit': '3' });
});

test('of 100 concurrent sends to a destination, only one succeeds; at most ten sends to it succeed within an hour', async () => {
  const world = setUpVerification();
  const flood = async (count: number) => {
    const leads = await Promise.all(Array.from({ length: count }, () => world.aLead({ phone: '+4930901825' })));
    return Promise.all(leads.map((lead) => world.send(lead, { ip: anAddress() })));
  };
  const passed = async (count: number) => (await flood(count)).filter(({ status }) => status === 200).length;
  expect(await passed(100)).toBe(1);
  for (let count = 0; count < 11; count++) {
    world.clock.ms += 31_000;
    expect(await passed(20)).toBe(count < 9 ? 1 : 0);
  }
  expect(world.sent).toHaveLength(10);
}, 120_000);

describe('the limits of a send are consumed in a fixed order', () => {
  const ORDER = ['pause', 'lead', 'destination', 'address', 'address-site', 'sms'].map((name) => `mfa-send-${name}`);

  /** Sends an SMS from an IPv6 address, while one limit is used up or unreachable. */
  async function sendWithout(deniedScope: string, outcome: 'used up' | 'unreachable') {
    const [taken, givenBack]: [string[], string[]] = [[], []];
    const limiter: RateLimiter = {
      consume: async ({ name: scope }) => {
        taken.push(scope);
        if (scope === deniedScope && outcome === 'unreachable')
          throw new HttpError(503, 'The counter is not available.');
        const giveBack = async () => void givenBack.push(scope);
        return { allowed: scope !== deniedScope, remaining: 0, resetSeconds: 1, refund: giveBack };
      },
    };
    const { aLead, send, sent } = setUpVerification({ ports: { limiter } });
    const { status } = await send({ ...(await aLead()), channel: 'sms' }, { ip: '2001:db8::1' });
    return { status, taken, givenBack, sent };
  }

  test.each(ORDER)(
    '429: if the limit %s denies a send, nothing is sent and the limits before it are refunded',
    async (denied) => {
      const before = ORDER.slice(0, ORDER.indexOf(denied));
      const { status, taken, givenBack, sent } = await sendWithout(denied, 'used up');
      expect([status, taken, givenBack, sent]).toEqual([429, [...before, denied], before, []]);
    },
  );

  test.each(ORDER)(
    '503: if the limit %s is unavailable, nothing is sent and the limits before it are refunded',
    async (denied) => {
      const before = ORDER.slice(0, ORDER.indexOf(denied));
      const { status, taken, givenBack, sent } = await sendWithout(denied, 'unreachable');
      expect([status, taken, givenBack, sent]).toEqual([503, [...before, denied], before, []]);
    },
  );

  test('200: a send that all limits allow is counted once by each limit', async () => {
    const { status, taken, givenBack, sent } = await sendWithout('', 'used up');
    expect([status, taken, givenBack, sent.length]).toEqual([200, ORDER, [], 1]);
  });
});
