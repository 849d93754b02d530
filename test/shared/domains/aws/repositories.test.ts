import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createDynamoDomainOutbox } from '../../../../shared/domains/aws/dynamo-domain-outbox.ts';
import { domainKey } from '../../../../shared/domains/aws/keys.ts';
import { toDomainIds } from '../../../../shared/domains/domain.ts';
import { pageKey } from '../../../../shared/landing-pages/aws/keys.ts';
import { STORES } from '../../../support/domains/domain-world.ts';
import { aDomain, domainItem, isoAt, NOON, putRecord } from '../../../support/domains/domains.ts';
import type { DomainStores } from '../../../support/domains/memory-domains.ts';
import { useDynamo } from '../../../support/dynamo.ts';

const { callsOf } = useDynamo();

const added = async ({ domains }: DomainStores, overrides: Parameters<typeof aDomain>[0] = {}) => {
  const domain = aDomain(overrides);
  expect(await domains.create(domain)).toBe(true);
  return domain;
};

describe.each(Object.entries(STORES))('%s', (_, open) => {
  test('`update` and `delete` of a domain take effect only if its revision has not changed since it was read', async () => {
    const stores = open();
    const domain = await added(stores);
    const changes = [{ target: 'one.example' }, { target: 'other.example' }];
    const responses = await Promise.all(changes.map((change) => stores.domains.update(domain, change)));
    const [written, ...more] = responses.filter((response) => response !== undefined);
    expect(more).toEqual([]);
    expect(written).toMatchObject({ revision: 2 });
    expect(await stores.domains.find(toDomainIds(domain))).toEqual(written);
    expect(await stores.domains.update(domain, { status: 'removing' })).toBeUndefined();
    await stores.domains.delete(domain);
    expect(await stores.domains.find(toDomainIds(domain))).toEqual(written);
    if (written !== undefined) await stores.domains.delete(written);
    expect(await stores.domains.find(toDomainIds(domain))).toBeUndefined();
    expect(await stores.domains.update(domain, { status: 'active' })).toBeUndefined();
    expect(await stores.domains.find(toDomainIds(domain))).toBeUndefined();
  });

  test('listDue lists a domain from its due time on; without a due time, a domain is never listed', async () => {
    const stores = open();
    const domain = await added(stores, { dueAt: isoAt(NOON) });
    const isDue = async (nowMs: number) =>
      (await stores.domains.listDue(nowMs, 1_000)).some(({ domainId }) => domainId === domain.id);
    expect([await isDue(NOON - 1), await isDue(NOON)]).toEqual([false, true]);
    await stores.domains.postpone(toDomainIds(domain), NOON + 5);
    expect([await isDue(NOON + 4), await isDue(NOON + 5)]).toEqual([false, true]);
    const found = await stores.domains.find(toDomainIds(domain));
    expect(found).toEqual({ ...domain, dueAt: isoAt(NOON + 5) });
    if (found !== undefined) await stores.domains.update(found, { dueAt: null });
    expect(await isDue(NOON + 10 ** 9)).toBe(false);
    expect(await stores.domains.find(toDomainIds(domain))).toMatchObject({ dueAt: null });
  });

  test('create does not overwrite a domain, and replaceReservation requires the current holder', async () => {
    const stores = open();
    const domain = await added(stores);
    expect(await stores.domains.create({ ...domain, status: 'pending' })).toBe(false);
    expect(await stores.domains.find(toDomainIds(domain))).toEqual(domain);
    const [first, second, third] = [1, 2, 3].map(() => ({
      orgId: randomUUID(),
      domainId: randomUUID(),
      reservedAt: isoAt(NOON),
    }));
    if (first === undefined || second === undefined || third === undefined) throw new Error('There are three.');
    const { hostname } = domain;
    expect(await stores.hostnames.reserve(hostname, first)).toBe(true);
    expect(await stores.hostnames.reserve(hostname, second)).toBe(false);
    expect(await stores.hostnames.replaceReservation(hostname, third, second)).toBe(false);
    expect(await stores.hostnames.replaceReservation(hostname, first, second)).toBe(true);
    await stores.hostnames.release(hostname, first.domainId);
    expect(await stores.hostnames.findReservation(hostname)).toEqual(second);
    await stores.hostnames.release(hostname, second.domainId);
    expect(await stores.hostnames.findReservation(hostname)).toBeUndefined();
  });

  test('markRemoving marks an existing domain once, and changes only its status, revision, due time and removal', async () => {
    const stores = open();
    const domain = await added(stores, { pageIds: [randomUUID()], tenantId: 'dt_1', dueAt: isoAt(NOON) });
    const removal = { requestedAt: isoAt(NOON), since: isoAt(NOON), attempts: 0, failureReason: null };
    const mark = (ids = toDomainIds(domain)) =>
      stores.requests.markRemoving(ids, { ...removal, step: 'unbind_pages' }, NOON + 1);
    expect([await mark(), await mark()]).toEqual(['marked', 'unknown']);
    expect(await stores.domains.find(toDomainIds(domain))).toEqual({
      ...domain,
      status: 'removing',
      revision: 2,
      dueAt: isoAt(NOON + 1),
      removal: { ...removal, step: 'unbind_pages' },
    });
    const nowhere = { orgId: domain.orgId, domainId: randomUUID() };
    expect(await mark(nowhere)).toBe('unknown');
    expect(await stores.domains.find(nowhere)).toBeUndefined();
  });

  test('bind rejects a landing page of another domain, and unbind changes only landing pages of the given domain', async () => {
    const { pages } = open();
    const [orgId, pageId] = [randomUUID(), randomUUID()];
    const [mine, theirs] = [1, 2].map(() => ({ orgId, domainId: randomUUID() }));
    if (mine === undefined || theirs === undefined) throw new Error('There are two.');
    expect(await pages.bind(mine, pageId)).toBe('not_found');
    await pages.add(orgId, pageId, null);
    expect([await pages.bind(mine, pageId), await pages.bind(mine, pageId)]).toEqual(['bound', 'bound']);
    expect(await pages.bind(theirs, pageId)).toBe('bound_elsewhere');
    await pages.unbind(theirs, pageId);
    expect([await pages.listPageIds(mine), await pages.listPageIds(theirs)]).toEqual([[pageId], []]);
    expect(await pages.listPageIds({ ...mine, orgId: randomUUID() })).toEqual([]);
    await pages.unbind(mine, pageId);
    expect([await pages.listPageIds(mine), await pages.bind(theirs, pageId)]).toEqual([[], 'bound']);
  });
});

describe('the outbox of domains', () => {
  const outbox = createDynamoDomainOutbox();
  const { domains, requests } = STORES['in DynamoDB']();
  const isListed = async (id: string, nowMs = NOON) =>
    (await outbox.listDue(nowMs, 100)).due.some(({ domainId }) => domainId === id);
  const activated = async () => {
    const verified = await added(STORES['in DynamoDB'](), { status: 'verified', dueAt: isoAt(NOON) });
    const changes = { status: 'active' as const, provisioning: null, dueAt: null, activatedAt: isoAt(NOON) };
    const active = await domains.update(verified, changes);
    if (active === undefined) throw new Error('The domain was not changed.');
    return { active, ids: toDomainIds(active) };
  };

  test('contains an active domain until `clear`; `listDue` of domains does not return it', async () => {
    const { active, ids } = await activated();
    expect([await isListed(active.id, NOON - 1), await isListed(active.id)]).toEqual([false, true]);
    const state = { hostname: active.hostname, activatedAt: isoAt(NOON) };
    expect(await outbox.read(ids)).toMatchObject({ state, isInOutbox: true });
    expect(await domains.find(ids)).toEqual(active);
    expect((await domains.listDue(NOON, 1_000)).map(({ domainId }) => domainId)).not.toContain(active.id);
    await domains.postpone(ids, NOON + 60_000);
    expect(await isListed(active.id)).toBe(true);
    await domains.update(active, { pageIds: [randomUUID()] });
    expect([await outbox.clear(ids), await outbox.clear(ids)]).toEqual([true, false]);
    expect(await isListed(active.id)).toBe(false);
    expect(await outbox.read(ids)).toMatchObject({ state, isInOutbox: false });
  });

  test('does not contain a domain that is being removed, and `clear` does not end the removal', async () => {
    const { active, ids } = await activated();
    const removal = { requestedAt: isoAt(NOON), since: isoAt(NOON), attempts: 0, failureReason: null };
    await requests.markRemoving(ids, { ...removal, step: 'unbind_pages' }, NOON);
    expect([await isListed(active.id), await outbox.read(ids), await outbox.clear(ids)]).toEqual([
      ...[false, undefined, false],
    ]);
    expect((await domains.find(ids))?.dueAt).toBe(isoAt(NOON));
  });
});

test('listPageIds returns all landing pages of a domain, even if the query has several result pages', async () => {
  const { pages } = STORES['in DynamoDB']();
  const ids = { orgId: randomUUID(), domainId: randomUUID() };
  const padding = 'x'.repeat(380_000);
  const pageIds = Array.from({ length: 4 }, () => randomUUID()).sort();
  for (const id of pageIds) await putRecord(pageKey(ids.orgId, id), { id, domainId: ids.domainId, css: padding });
  let found: string[] = [];
  const calls = await callsOf(async () => {
    found = await pages.listPageIds(ids);
  });
  expect(found.sort()).toEqual(pageIds);
  expect(calls.length).toBeGreaterThan(1);
});

test('the tombstone of a landing page can neither be bound to a domain nor be listed', async () => {
  const { pages } = STORES['in DynamoDB']();
  const [ids, pageId] = [{ orgId: randomUUID(), domainId: randomUUID() }, randomUUID()];
  await putRecord(pageKey(ids.orgId, pageId), { tombstone: true });
  expect(await pages.bind(ids, pageId)).toBe('not_found');
  expect(await pages.listPageIds(ids)).toEqual([]);
});

test('a domain item without target, provisioning, removalHoldUntil and dueAt can be read', async () => {
  const { domains } = STORES['in DynamoDB']();
  const { target: _, provisioning: _provisioning, removalHoldUntil: _hold, dueAt: _due, ...old } = aDomain();
  await putRecord(domainKey(old.orgId, old.id), old);
  expect(await domains.find({ orgId: old.orgId, domainId: old.id })).toMatchObject({ target: null, dueAt: null });
  expect(await domainItem({ orgId: old.orgId, domainId: old.id })).toBeDefined();
});

test('a domain item stores provisioning in `setUp`, removalHoldUntil in `busyUntil`, and failureReason in `problem`', async () => {
  const stores = STORES['in DynamoDB']();
  const progress = { since: isoAt(NOON), attempts: 2, failureReason: 'A reason.' };
  const domain = await added(stores, { status: 'verified', provisioning: progress, removalHoldUntil: isoAt(NOON) });
  const ids = toDomainIds(domain);
  const setUp = { since: isoAt(NOON), attempts: 2, problem: 'A reason.' };
  const created = { setUp, busyUntil: isoAt(NOON), removal: null };
  expect(await domainItem(ids)).toMatchObject(created);
  expect(await stores.domains.find(ids)).toEqual(domain);
  const later = await stores.domains.update(domain, { provisioning: null, removalHoldUntil: isoAt(NOON + 1) });
  expect(await domainItem(ids)).toMatchObject({ setUp: null, busyUntil: isoAt(NOON + 1), removal: null });
  expect(await stores.domains.find(ids)).toEqual(later);
  const removal = { ...progress, requestedAt: isoAt(NOON), step: 'unbind_pages' } as const;
  await stores.requests.markRemoving(ids, removal, NOON);
  expect(await domainItem(ids)).toMatchObject({
    removal: { ...setUp, requestedAt: isoAt(NOON), step: 'unbind_pages' },
  });
  expect((await stores.domains.find(ids))?.removal).toEqual(removal);
});
