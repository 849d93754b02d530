import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { createDynamoAddressReader } from '../../../../shared/notifications/aws/dynamo-address-repository.ts';
import { createDynamoNoticeRepository } from '../../../../shared/notifications/aws/dynamo-notice-repository.ts';
import { admin } from '../../../support/cli/admin.ts';
import { anOrganization } from '../../../support/cli/training.ts';
import { useDynamo } from '../../../support/dynamo.ts';

useDynamo();
beforeAll(() => {
  process.env.API_ADDRESS = 'https://api.shop.example';
});

const notifications = (...args: string[]) => admin(['notifications', ...args]);
const json = async (...args: string[]) => {
  const { out, err } = await notifications(...args, '--json');
  if (out === '') throw new Error(err);
  return JSON.parse(out);
};
const stored = (orgId: string) => createDynamoAddressReader().list(orgId);

test('an address is added, listed, updated and removed', async () => {
  const orgId = await anOrganization();
  const added = await json('add', orgId, 'ada@shop.example', '--language', 'en');
  expect(added).toMatchObject({ mode: 'each_lead', language: 'en', status: 'unconfirmed' });
  expect(await stored(orgId)).toMatchObject([{ linkBaseUrl: 'https://api.shop.example', confirmedAt: null }]);
  expect(await createDynamoNoticeRepository().list(added.id)).toMatchObject([{ kind: 'confirmation' }]);
  expect(await json('list', orgId)).toEqual({ addresses: [added] });
  expect((await notifications('list', orgId)).out).toContain('ada@shop.example');
  const updated = await json('update', orgId, added.id, '--mode', 'daily_digest', '--timezone', 'Europe/Vienna');
  expect(updated).toMatchObject({ id: added.id, mode: 'daily_digest', timeZone: 'Europe/Vienna', language: 'en' });
  expect(await notifications('remove', orgId, added.id)).toMatchObject({
    code: 1,
    err: expect.stringContaining('--yes'),
  });
  expect(await json('remove', orgId, added.id, '--yes')).toEqual({ id: added.id, removed: true });
  expect(await stored(orgId)).toEqual([]);
});

test('1: an unknown organization, an unknown address and an invalid address are rejected', async () => {
  const orgId = await anOrganization();
  expect(await notifications('add', randomUUID(), 'ada@shop.example')).toMatchObject({ code: 1 });
  expect(await notifications('add', orgId, 'ada')).toMatchObject({
    code: 1,
    err: expect.stringContaining('e-mail address'),
  });
  for (const command of [
    ['update', '--mode', 'each_lead'],
    ['remove', '--yes'],
  ]) {
    const [name = '', ...options] = command;
    const { code, err } = await notifications(name, orgId, randomUUID(), ...options);
    expect([code, err]).toEqual([1, expect.stringContaining('see "notifications list"')]);
  }
  expect(await stored(orgId)).toEqual([]);
});

test('2: an unknown time zone, and an update without a change, are rejected', async () => {
  const [orgId, id] = [randomUUID(), randomUUID()];
  expect(await notifications('update', orgId, id, '--timezone', 'Mars/Olympus')).toMatchObject({ code: 2 });
  expect(await notifications('update', orgId, id)).toMatchObject({ code: 2, err: expect.stringContaining('--mode') });
});
