import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createHandler as createDelete } from '../../../functions/notifications/delete-address/handler.ts';
import { deleteAddressOperation } from '../../../functions/notifications/delete-address/operation.ts';
import { createHandler as createList } from '../../../functions/notifications/list-addresses/handler.ts';
import { listAddressesOperation } from '../../../functions/notifications/list-addresses/operation.ts';
import { createHandler as createUpdate } from '../../../functions/notifications/update-address/handler.ts';
import { updateAddressOperation } from '../../../functions/notifications/update-address/operation.ts';
import { CONFIRMATIONS_PER_DAY_AND_ADDRESS } from '../../../shared/notifications/create-address.ts';
import { ADDRESSES_MAX } from '../../../shared/notifications/notification-address.ts';
import { UnavailableError } from '../../../shared/platform/unavailable.ts';
import { useDynamo } from '../../support/dynamo.ts';
import { caller } from '../../support/http.ts';
import { notificationWorld } from '../../support/notifications/notifications.ts';

useDynamo();

function setUp() {
  const world = notificationWorld();
  const [list, update, remove] = [
    caller(listAddressesOperation, createList(world.ports)),
    caller(updateAddressOperation, createUpdate(world.ports)),
    caller(deleteAddressOperation, createDelete(world.ports)),
  ];
  const { orgId, as } = world;
  type Who = Parameters<typeof as>[0];
  return {
    ...world,
    list: (who: Who = 'admin') => list({ path: { orgId }, headers: as(who) }),
    update: (addressId: string, body: unknown, who: Who = 'admin') =>
      update({ path: { orgId, addressId }, headers: as(who), body }),
    remove: (addressId: string, who: Who = 'admin') => remove({ path: { orgId, addressId }, headers: as(who) }),
  };
}

const anAddress = () => `${randomUUID()}@shop.example`;

test('201: an admin adds an address, which gets a mail that names the organization', async () => {
  const { create, list, send, mails } = setUp();
  const address = anAddress();
  const { status, body } = await create({ address, mode: 'each_lead' });
  const added = { address, mode: 'each_lead', timeZone: 'Europe/Berlin', language: 'de', status: 'unconfirmed' };
  expect([status, body]).toMatchObject([201, added]);
  expect((await list()).body).toEqual({ addresses: [body] });
  await send();
  expect(mails).toMatchObject([{ to: address, subject: 'Bitte bestätigen Sie Ihre E-Mail-Adresse' }]);
  expect(mails[0]?.text).toContain('Shop <GmbH> möchte Ihnen');
  expect(mails[0]?.html).toContain('Shop &lt;GmbH&gt; möchte Ihnen');
  expect(mails[0]).not.toHaveProperty('unsubscribeUrl');
});

test('201: adding an unconfirmed address again stores the new properties and sends another mail', async () => {
  const { create, list, send, mails } = setUp();
  const address = anAddress();
  await create({ address, mode: 'each_lead' });
  await send();
  const { status, body } = await create({ address: address.toUpperCase(), mode: 'daily_digest' });
  expect(status).toBe(201);
  await send();
  expect((await list()).body).toEqual({ addresses: [body] });
  expect(body).toMatchObject({ mode: 'daily_digest' });
  expect(mails).toHaveLength(2);
});

test('429: rejects the fourth request of a day to add the same address, counted over all organizations', async () => {
  const { create, list, ports } = setUp();
  const address = anAddress();
  const other = notificationWorld({ limiter: ports.limiter });
  expect((await other.create({ address, mode: 'each_lead' })).status).toBe(201);
  for (const _ of [1, 2]) expect((await create({ address, mode: 'each_lead' })).status).toBe(201);
  expect(await create({ address, mode: 'each_lead' })).toMatchObject({ status: 429, headers: { 'retry-after': '42' } });
  expect(((await list()).body as { addresses: unknown[] }).addresses).toHaveLength(1);
});

test.each(['put', 'wake'] as const)('503: counts no confirmation mail when notices.%s fails', async (failing) => {
  const { create, send, mails, ports } = setUp();
  const body = { address: anAddress(), mode: 'each_lead' };
  const working = { ...ports.notices };
  ports.notices[failing] = () =>
    Promise.reject(new UnavailableError('Test error.', { retryAfterSeconds: 1, cause: undefined }));
  for (let request = 0; request <= CONFIRMATIONS_PER_DAY_AND_ADDRESS; request++)
    expect((await create(body)).status).toBe(503);
  Object.assign(ports.notices, working);
  expect((await create(body)).status).toBe(201);
  await send();
  expect(mails.filter(({ to }) => to === body.address)).toHaveLength(1);
});

test.each([
  ['body.address', { address: 'no address' }],
  ['body.address', { address: 'ada@shop.example\r\nBcc: eve@evil.example' }],
  ['body.mode', { mode: 'hourly' }],
  ['body.timeZone', { timeZone: 'Mars/Olympus' }],
  ['body.language', { language: 'fr' }],
])('400: for an invalid body, the message names %s and nothing is stored', async (path, overrides) => {
  const { create, list } = setUp();
  const { status, body } = await create({ address: anAddress(), mode: 'each_lead', ...overrides });
  expect([status, body]).toMatchObject([400, { error: { message: expect.stringContaining(path) } }]);
  expect((await list()).body).toEqual({ addresses: [] });
});

test('400: rejects an eleventh address, and an address that is already confirmed', async () => {
  const { create, confirmed, list, addresses, orgId } = setUp();
  await confirmed();
  const [{ address } = expect.unreachable()] = await addresses.list(orgId);
  expect(await create({ address, mode: 'each_lead' })).toMatchObject({
    status: 400,
    body: {
      error: {
        message: 'The organization has this notification address already. Update the existing address instead.',
      },
    },
  });
  const statuses = [];
  for (let count = 1; count <= ADDRESSES_MAX; count++)
    statuses.push((await create({ address: anAddress(), mode: 'each_lead' })).status);
  expect(statuses).toEqual([...Array(ADDRESSES_MAX - 1).fill(201), 400]);
  expect(((await list()).body as { addresses: unknown[] }).addresses).toHaveLength(ADDRESSES_MAX);
});

test('201: four concurrent requests add four addresses', async () => {
  const { create, addresses, orgId } = setUp();
  const adding = [1, 2, 3, 4].map(() => create({ address: anAddress(), mode: 'each_lead' }));
  expect((await Promise.all(adding)).map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(await addresses.list(orgId)).toHaveLength(4);
});

test.each([[{}], [{ mode: 'weekly' }], [{ timeZone: 'Europe/Nowhere' }]])(
  '400: rejects the invalid change %o, and stores nothing',
  async (changes) => {
    const { confirmed, update, addresses, orgId } = setUp();
    const id = await confirmed();
    const before = await addresses.list(orgId);
    expect((await update(id, changes)).status).toBe(400);
    expect(await addresses.list(orgId)).toEqual(before);
  },
);

test('200: an admin changes the mode, and the address stays confirmed', async () => {
  const { confirmed, update, list } = setUp();
  const id = await confirmed();
  const { status, body } = await update(id, { mode: 'daily_digest' });
  expect([status, body]).toMatchObject([200, { id, mode: 'daily_digest', status: 'confirmed' }]);
  expect((await list()).body).toEqual({ addresses: [body] });
});

test('200: a deleted address is not listed, and must be confirmed again if it is added again', async () => {
  const { confirmed, remove, create, list, addresses, orgId } = setUp();
  const id = await confirmed();
  const [{ address } = expect.unreachable()] = await addresses.list(orgId);
  expect(await remove(id)).toMatchObject({ status: 200, body: { success: true } });
  expect((await list()).body).toEqual({ addresses: [] });
  expect((await create({ address, mode: 'each_lead' })).body).toMatchObject({ id, status: 'unconfirmed' });
});

test('404: an address of another organization cannot be changed or deleted', async () => {
  const [own, other] = [setUp(), setUp()];
  expect(own.orgId).not.toBe(other.orgId);
  await other.confirmed();
  const before = await other.addresses.list(other.orgId);
  const id = before[0]?.id ?? '';
  expect((await own.update(id, { mode: 'daily_digest' })).status).toBe(404);
  expect((await own.remove(id)).status).toBe(404);
  expect(before).toHaveLength(1);
  expect(await other.addresses.list(other.orgId)).toEqual(before);
});

test('404: an unknown address cannot be changed or deleted', async () => {
  const { update, remove, confirmed, addresses, orgId } = setUp();
  await confirmed();
  const before = await addresses.list(orgId);
  expect((await update(randomUUID(), { mode: 'daily_digest' })).status).toBe(404);
  expect((await remove(randomUUID())).status).toBe(404);
  expect(await addresses.list(orgId)).toEqual(before);
});

test.each(['member', 'stranger'] as const)('403: a %s can neither read nor change addresses', async (who) => {
  const { create, list, update, remove, confirmed, addresses, orgId } = setUp();
  const id = await confirmed();
  const before = await addresses.list(orgId);
  expect((await create({ address: anAddress(), mode: 'each_lead' }, who)).status).toBe(403);
  expect((await list(who)).status).toBe(403);
  expect((await update(id, { mode: 'daily_digest' }, who)).status).toBe(403);
  expect((await remove(id, who)).status).toBe(403);
  expect((await create({ address: anAddress(), mode: 'each_lead' }, 'admin', randomUUID())).status).toBe(403);
  expect(await addresses.list(orgId)).toEqual(before);
});
