import { expect, test, vi } from 'vitest';
import { HttpError } from '../../../../shared/http/errors.ts';
import { createDynamoLeadVerificationRepository } from '../../../../shared/leads/aws/dynamo-lead-verification-repository.ts';
import type { LeadVerificationRepository } from '../../../../shared/leads/ports.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { setUpVerification } from '../../../support/verification/verification.ts';

useDynamo();

test('500: if the mail service does not accept a message, the code in it is invalid and no limits are consumed', async () => {
  const { aLead, send, check, sent, delivery, lastCode } = setUpVerification({
    ports: { generateCode: () => '271828' },
  });
  const lead = await aLead();
  delivery.fails = true;
  for (let count = 0; count < 12; count++) {
    expect(await send(lead)).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
  }
  expect(await check(lead, '271828')).toMatchObject({ status: 400, body: { error: { code: 'code_invalid' } } });
  expect(sent).toEqual([]);
  delivery.fails = false;
  expect((await send(lead)).status).toBe(200);
  expect((await check(lead, lastCode())).status).toBe(200);
});

test('500: if the mail service does not accept a message, the codes in earlier messages stay valid', async () => {
  const { aLead, send, check, delivery, sent, lastCode, clock } = setUpVerification();
  const lead = await aLead();
  const codes: string[] = [];
  for (let count = 0; count < 3; count++) {
    await send(lead);
    codes.push(lastCode());
    clock.ms += 31_000;
  }
  delivery.fails = true;
  for (let count = 0; count < 3; count++) expect((await send(lead)).status).toBe(500);
  expect(sent).toHaveLength(3);
  expect((await check(lead, codes[0])).status).toBe(200);
});

test('neither log nor response contains the destination of a failed message', async () => {
  const { aLead, send, delivery } = setUpVerification();
  const written = vi.mocked(process.stdout.write);
  delivery.fails = true;
  const response = await send(await aLead());
  const logged = written.mock.calls.map(([line]) => String(line)).join('');
  expect(logged).toContain('CodeNotDelivered');
  for (const text of [response.text, logged]) expect(text).not.toMatch(/ada|shop\.example|\b\d{6}\b/);
});

test.each(['find', 'replace'] as const)(
  '503: no limits are consumed if the lead repository fails in `%s`',
  async (what) => {
    const outage = { isActive: true };
    const real = createDynamoLeadVerificationRepository();
    const fail = async () => {
      throw new HttpError(503, 'Leads cannot be read right now.');
    };
    const leads: LeadVerificationRepository = {
      find: (...given) => (outage.isActive && what === 'find' ? fail() : real.find(...given)),
      replace: (...given) => (outage.isActive && what === 'replace' ? fail() : real.replace(...given)),
    };
    const { aLead, send, sent } = setUpVerification({ ports: { leads } });
    const lead = await aLead();
    for (let count = 0; count < 7; count++) expect((await send(lead)).status).toBe(503);
    expect(sent).toEqual([]);
    outage.isActive = false;
    expect((await send(lead)).status).toBe(200);
  },
);

test('503: nothing is sent while the rate limits are unavailable', async () => {
  const { aLead, send, sent } = setUpVerification();
  const lead = await aLead();
  vi.stubEnv('LIMITS_TABLE', 'gone');
  expect(await send(lead)).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
  expect(sent).toEqual([]);
});
