import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDirectoryWriter } from '../../../../infra/local/seed/directory-writer.ts';
import { createDynamoFunnelRepository } from '../../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { Funnel } from '../../../../shared/funnels/funnel.ts';
import { createDynamoLeadRepository } from '../../../../shared/leads/aws/dynamo-lead-repository.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aField, handleIn, setUpSubmit } from '../../../support/leads/submit.ts';

const { callsOf } = useDynamo();

/** Sets up the operation with DynamoDB, and with the funnel already in its cache. */
async function setUpWarm() {
  const id = randomUUID();
  const versionId = randomUUID();
  const funnel = Funnel.parse({ id, orgId: randomUUID(), publishedVersionId: versionId });
  const version = { id: versionId, funnelId: id, fields: [aField({ id: 'name', type: 'text' })] };
  await createDirectoryWriter().publishFunnel(funnel, version);
  const world = setUpSubmit({
    funnel: { id },
    ports: { funnels: createDynamoFunnelRepository(), leads: createDynamoLeadRepository() },
  });
  await world.post({ data: {} });
  return world;
}

test('if the function is warm, a submit without files makes only one write, even if a field is rejected (422)', async () => {
  const { post } = await setUpWarm();
  const key = { 'idempotency-key': randomUUID() };
  let handle = {};
  const create = async () => {
    handle = handleIn(await post({ data: { name: 'Ada' }, step_id: 'a' }, key));
  };
  expect(await callsOf(create)).toEqual(['PutItem']);
  for (const data of [{ name: 'Grace' }, { name: null }, { name: 7 }]) {
    expect(await callsOf(() => post({ ...handle, data, step_id: 'a' }))).toEqual(['UpdateItem']);
  }
});

test('an unknown lead id causes a failed write and a read; a lead id that is not a UUID causes no database request', async () => {
  const { post } = await setUpWarm();
  const unknown = { lead_id: randomUUID(), update_token: 'x', data: {} };
  expect(await callsOf(() => post(unknown))).toEqual(['UpdateItem', 'GetItem']);
  expect(await callsOf(() => post({ ...unknown, lead_id: 'no uuid' }))).toEqual([]);
});

test('20 concurrent creates with one Idempotency-Key create one lead with one handle', async () => {
  const { post } = await setUpWarm();
  const key = { 'idempotency-key': randomUUID() };
  const responses = await Promise.all(Array.from({ length: 20 }, () => post({ data: { name: 'Ada' } }, key)));
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
});
