import { expect, test } from 'vitest';
import { createDynamoLeadVerificationRepository } from '../../../../shared/leads/aws/dynamo-lead-verification-repository.ts';
import type { LeadVerificationRepository } from '../../../../shared/leads/ports.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { setUpVerification, wrongCode } from '../../../support/verification/verification.ts';

useDynamo();

test('500: if an attempt cannot be stored, the response does not reveal whether the code is correct', async () => {
  const outage = { isActive: false };
  const real = createDynamoLeadVerificationRepository();
  const leads: LeadVerificationRepository = {
    ...real,
    replace: async (...given) => {
      if (outage.isActive) throw new Error('secret-table-name');
      return real.replace(...given);
    },
  };
  const { aLead, send, check, lastCode, stored } = setUpVerification({ ports: { leads } });
  const lead = await aLead();
  await send(lead);
  const before = await stored(lead);
  outage.isActive = true;
  const messages = new Set<string>();
  for (const code of [lastCode(), wrongCode(lastCode())]) {
    const response = await check(lead, code);
    expect(response).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
    expect(response.text).not.toContain('secret-table-name');
    messages.add(response.text);
  }
  expect(messages.size).toBe(1);
  expect(await stored(lead)).toEqual(before);
  outage.isActive = false;
  expect((await check(lead, lastCode())).status).toBe(200);
});
