import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HttpError } from '../../../../shared/http/errors.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aWorld, expectCompletePages, expectNoLeftovers } from '../../../support/landing-pages/copy-crashes.ts';
import { aPage, pagesOf, setUpCopy, storedPage } from '../../../support/landing-pages/pages.ts';

useDynamo();

const keyed = () => ({ headers: { 'idempotency-key': randomUUID() } });
const DAY_MS = 86_400_000;

test('201: repeated requests with one key and body create one page; each request without a key creates another page', async () => {
  const { away, copy } = await setUpCopy();
  const request = keyed();
  const [first, again] = [await copy(undefined, request), await copy(undefined, request)];
  expect(again).toMatchObject({ status: 201, body: first.body });
  expect(await pagesOf(away.orgId)).toHaveLength(1);
  await copy();
  await copy();
  expect(await pagesOf(away.orgId)).toHaveLength(3);
});

test('201: after 24 hours, the same key creates a new page', async () => {
  const { away, clock, copy } = await setUpCopy();
  const request = keyed();
  const first = await copy(undefined, request);
  expect(first.status).toBe(201);
  clock.ms += DAY_MS - 1;
  expect((await copy(undefined, request)).body).toEqual(first.body);
  clock.ms += 1;
  expect((await copy(undefined, request)).body).not.toEqual(first.body);
  expect(await pagesOf(away.orgId)).toHaveLength(2);
});

test('400: rejects the same key with another body', async () => {
  const { away, copy } = await setUpCopy();
  const request = keyed();
  const body = JSON.stringify({ targetOrganizationId: away.orgId });
  expect((await copy(body, request)).status).toBe(201);
  expect(await copy(`${body} `, request)).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } });
  expect(await pagesOf(away.orgId)).toHaveLength(1);
});

test('201: requests with the same key create separate copies if their users or source pages differ', async () => {
  const { home, away, roles, copy } = await setUpCopy();
  roles.set(`${away.orgId}/${home.users.owner}`, 'admin');
  const other = await storedPage(aPage(home.orgId));
  const request = keyed();
  const responses = [
    await copy(undefined, request),
    await copy(undefined, { ...request, as: 'owner' }),
    await copy(undefined, { ...request, pageId: other.page.id }),
  ];
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(await pagesOf(away.orgId)).toHaveLength(3);
});

test('201: a repetition returns the same page, even if the source was deleted; 403: rejects a user who lost the role', async () => {
  const { home, away, roles, ports, copy } = await setUpCopy();
  const request = keyed();
  const first = await copy(undefined, request);
  expect(first.status).toBe(201);
  const pages = { ...ports.pages, find: async () => undefined };
  expect((await copy(undefined, { ...request, with: { ...ports, pages } })).body).toEqual(first.body);
  roles.delete(`${away.orgId}/${home.users.admin}`);
  expect((await copy(undefined, request)).status).toBe(403);
});

test('201: concurrent requests with one key create one copy', async () => {
  const world = await aWorld();
  const { away, copy, source, ports } = world;
  const body = { targetOrganizationId: away.orgId, copyAssets: true };
  const waits = { ...ports, sleep: (ms: number) => sleep(ms / 25) };
  const request = { ...keyed(), pageId: source.page.id, with: waits };
  const responses = await Promise.all(Array.from({ length: 8 }, () => copy(body, request)));
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201));
  expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
  expect(await expectCompletePages(world)).toHaveLength(1);
  expect(world.limits.taken('upload-bytes-day')).toBe(300);
  await expectNoLeftovers(world);
});

test('503: if a request waits too long for a running copy with the same key, the response has Retry-After', async () => {
  const world = await aWorld();
  const { away, copy, source, ports } = world;
  const release = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const slow = {
    copy: async (from: string, to: string) => {
      arrived.resolve();
      await release.promise;
      return ports.files.copy(from, to);
    },
  };
  const body = { targetOrganizationId: away.orgId, copyAssets: true };
  const request = { ...keyed(), pageId: source.page.id };
  const first = copy(body, { ...request, with: { ...ports, files: slow, clock: { now: () => world.clock.ms } } });
  await arrived.promise;
  const waiting = await copy(body, request);
  expect(waiting).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  release.resolve();
  await first;
  await expectNoLeftovers(world);
});

test('after a failed copy, a retry with the same key succeeds immediately, even with another body', async () => {
  const world = await aWorld();
  const { away, copy, source, ports } = world;
  const failing = {
    copy: async () => {
      throw new HttpError(503, 'Not now.');
    },
  };
  const request = { ...keyed(), pageId: source.page.id };
  const body = { targetOrganizationId: away.orgId, copyAssets: true };
  expect((await copy(body, { ...request, with: { ...ports, files: failing } })).status).toBe(503);
  expect((await copy({ ...body, copyAssets: false }, request)).status).toBe(201);
  expect((await copy(body, request)).status).toBe(400);
  expect(await pagesOf(away.orgId)).toHaveLength(2);
});
