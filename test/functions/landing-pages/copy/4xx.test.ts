import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { useDynamo } from '../../../support/dynamo.ts';
import { aBlock, aPage, itemsOf, pagesOf, setUpCopy, storedPage } from '../../../support/landing-pages/pages.ts';

useDynamo();

let world: Awaited<ReturnType<typeof setUpCopy>>;
beforeEach(async () => {
  world = await setUpCopy();
});

const errorResponse = (status: number, code: string) => ({ status, body: { error: { code } } });

async function nothingWasCopied() {
  expect(await pagesOf(world.away.orgId)).toEqual([]);
  expect((await itemsOf(world.source.page)).filter(({ sk }) => String(sk).startsWith('copy#'))).toEqual([]);
  expect(world.files.objects.size).toBe(0);
  expect(world.limits.taken('upload-bytes-day')).toBe(0);
}

test('400: rejects a body that does not match the declared schema', async () => {
  const { away, copy } = world;
  const valid = { targetOrganizationId: away.orgId };
  const bodies = [
    {},
    { targetOrganizationId: 'x' },
    { targetOrganizationId: null },
    { ...valid, copyAssets: 'true' },
    { ...valid, copyAssets: null },
    { ...valid, copyassets: true },
    { ...valid, __proto__x: 1 },
    [],
    'null',
    '{',
    '',
  ];
  for (const body of bodies) expect(await copy(body)).toMatchObject(errorResponse(400, 'bad_request'));
  await nothingWasCopied();
});

test('400: arbitrary JSON as a body copies nothing', async () => {
  const arbitrary = fc.oneof(
    fc.jsonValue(),
    fc.record({ targetOrganizationId: fc.jsonValue(), copyAssets: fc.jsonValue() }, { requiredKeys: [] }),
  );
  await fc.assert(
    fc.asyncProperty(arbitrary, async (body) => {
      expect((await world.copy(JSON.stringify(body))).status).toBe(400);
    }),
    // The rate limit allows 60 requests in a minute.
    { numRuns: 60 },
  );
  await nothingWasCopied();
});

test('400: ids in the path and the Idempotency-Key must be UUIDs', async () => {
  expect(await world.copy(undefined, { pageId: 'page' })).toMatchObject(errorResponse(400, 'bad_request'));
  expect(await world.copy(undefined, { orgId: 'org' })).toMatchObject(errorResponse(400, 'bad_request'));
  const headers = { 'idempotency-key': 'again' };
  expect(await world.copy(undefined, { headers })).toMatchObject(errorResponse(400, 'bad_request'));
  await nothingWasCopied();
});

test('400: a page with 201 assets cannot be copied with its assets, but a page with 200 assets can', async () => {
  const { home, away, files, copy } = world;
  for (const [assets, status] of [
    [201, 400],
    [200, 201],
  ] as const) {
    const source = await storedPage(aPage(home.orgId, { assets }));
    for (const { key } of source.assets) files.objects.set(key, 'bytes');
    const body = { targetOrganizationId: away.orgId, copyAssets: true };
    const response = await copy(body, { pageId: source.page.id });
    expect(response.status).toBe(status);
    if (status === 400) expect(await pagesOf(away.orgId)).toEqual([]);
    expect(files.objects.size).toBe(status === 400 ? 201 : 201 + 200 + 200);
  }
  expect(world.limits.taken('upload-bytes-day')).toBe(200 * 100);
});

test('400: rejects a page with too many blocks, too many assets or too much text', async () => {
  const { home, copy } = world;
  const many = Array.from({ length: 501 }, (_, index) => aBlock({}, index));
  const long = Array.from({ length: 11 }, (_, index) => aBlock({ text: 'x'.repeat(380_000) }, index));
  const pages = [
    aPage(home.orgId, { blocks: () => many }),
    aPage(home.orgId, { blocks: () => long }),
    aPage(home.orgId, { assets: 1_001 }),
  ];
  for (const page of pages) {
    await storedPage(page);
    expect(await copy(undefined, { pageId: page.page.id })).toMatchObject(errorResponse(400, 'bad_request'));
  }
  await nothingWasCopied();
});

test('401: rejects a request without a token, and copies nothing', async () => {
  const headers = { authorization: '' };
  expect(await world.copy(undefined, { headers })).toMatchObject(errorResponse(401, 'unauthorized'));
  await nothingWasCopied();
});

test('403: rejects a member and a non-member of the source organization', async () => {
  for (const as of ['member', 'stranger'] as const) {
    expect(await world.copy(undefined, { as })).toMatchObject(errorResponse(403, 'forbidden'));
  }
  await nothingWasCopied();
});

test('403: the response is the same for a member and a non-member of the target organization, and if it is unknown', async () => {
  const { home, away, roles, copy } = world;
  const responses = [];
  roles.set(`${away.orgId}/${home.users.admin}`, 'member');
  responses.push(await copy());
  roles.delete(`${away.orgId}/${home.users.admin}`);
  responses.push(await copy(), await copy(undefined, { pageId: randomUUID() }));
  responses.push(await copy({ targetOrganizationId: randomUUID() }));
  for (const response of responses) {
    expect(response).toMatchObject(errorResponse(403, 'forbidden'));
    expect(response.text).toBe(responses[0]?.text);
  }
  await nothingWasCopied();
});

test('403: rejects an owner of the source organization who has no role in the target organization', async () => {
  expect(await world.copy(undefined, { as: 'owner' })).toMatchObject(errorResponse(403, 'forbidden'));
  await nothingWasCopied();
});

test('404: an unknown page and another organization’s page get the same response', async () => {
  const { away, copy } = world;
  const foreign = await storedPage(aPage(away.orgId));
  const [unknown, theirs] = [
    await copy(undefined, { pageId: randomUUID() }),
    await copy(undefined, { pageId: foreign.page.id }),
  ];
  expect(unknown).toMatchObject(errorResponse(404, 'not_found'));
  expect(theirs.text).toBe(unknown.text);
  expect(Object.keys(theirs.headers)).toEqual(Object.keys(unknown.headers));
  expect(await pagesOf(away.orgId)).toHaveLength(1);
});

test('404: for an unknown page and for another organization’s page, no idempotency record is stored', async () => {
  const { away, copy } = world;
  const foreign = await storedPage(aPage(away.orgId));
  const before = await itemsOf(foreign.page);
  const unknown = { id: randomUUID(), orgId: away.orgId };
  for (const { id } of [foreign.page, unknown]) {
    const response = await copy(undefined, { pageId: id, headers: { 'idempotency-key': randomUUID() } });
    expect(response).toMatchObject(errorResponse(404, 'not_found'));
  }
  expect(await itemsOf(foreign.page)).toEqual(before);
  expect(await itemsOf(unknown)).toEqual([]);
});

test('404: copies nothing if the record of the page is deleted while its blocks are read', async () => {
  const { ports, copy } = world;
  let reads = 0;
  const find: typeof ports.pages.find = async (...place) => (reads++ === 0 ? ports.pages.find(...place) : undefined);
  const response = await copy(undefined, { with: { ...ports, pages: { ...ports.pages, find } } });
  expect(response).toMatchObject(errorResponse(404, 'not_found'));
  await nothingWasCopied();
});

test('429: rejects the 61st request of a user within a minute', async () => {
  for (let index = 0; index < 60; index++) expect((await world.copy({})).status).toBe(400);
  const response = await world.copy();
  expect(response).toMatchObject(errorResponse(429, 'rate_limited'));
  expect(response.headers).toHaveProperty('retry-after');
  await nothingWasCopied();
});

test('429: if a page’s assets exceed the rest of the target’s daily upload quota, nothing is copied or counted', async () => {
  world = await setUpCopy({ limits: { uploadBytesPerDay: 299 } });
  const { home, away, files, copy } = world;
  const source = await storedPage(aPage(home.orgId, { assets: 3 }));
  const body = { targetOrganizationId: away.orgId, copyAssets: true };
  const response = await copy(body, { pageId: source.page.id });
  expect(response).toMatchObject(errorResponse(429, 'rate_limited'));
  expect(response.headers).toMatchObject({ 'retry-after': expect.any(String) });
  await nothingWasCopied();
  expect(files.objects.size).toBe(0);
  // A copy without the assets needs no quota.
  expect((await copy({ targetOrganizationId: away.orgId }, { pageId: source.page.id })).status).toBe(201);
});
