import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startPages } from '../../infra/local/pages/server.ts';
import { launchChromium } from '../support/chromium.ts';

type Batch = { contentType: string | undefined; events: { eventId: string; payload: { type: string } }[] };

/** Stands in for the API, so that what the page sends can be seen, and refused. */
let api: Server;
let answer: number;
let batches: Batch[];
let pages: Awaited<ReturnType<typeof startPages>>;
let browser: Browser;

beforeAll(async () => {
  api = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      response.setHeader('Access-Control-Allow-Origin', request.headers.origin ?? '*');
      response.setHeader('Access-Control-Allow-Credentials', 'true');
      response.setHeader('Access-Control-Allow-Headers', 'content-type');
      response.writeHead(request.method === 'OPTIONS' ? 204 : answer).end();
      if (request.method !== 'POST') return;
      const { events } = JSON.parse(Buffer.concat(chunks).toString());
      batches.push({ contentType: request.headers['content-type'], events });
    });
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const demo = {
    baseUrl: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
    organizations: { a: { id: 'org-id', name: 'Example', timezone: 'UTC' } },
    tokens: { memberA: 'token' },
    funnel: { id: 'funnel-id', versionId: 'version-id' },
  };
  [pages, browser] = await Promise.all([startPages({ port: 0, demo }), launchChromium()]);
}, 60_000);

beforeEach(() => {
  answer = 200;
  batches = [];
});

afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

afterAll(async () => {
  await browser?.close();
  await pages?.close();
  api.close();
  api.closeAllConnections();
});

const openFunnel = async () => {
  const page = await browser.newPage();
  await page.goto(pages.url);
  return page;
};
const kinds = (of: readonly Batch[]) => of.flatMap(({ events }) => events.map(({ payload }) => payload.type));
const ids = (of: readonly Batch[]) => new Set(of.flatMap(({ events }) => events.map(({ eventId }) => eventId)));

const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 10_000 });

test('what a visitor does in the moment before leaving goes out as a beacon that needs no preflight', async () => {
  const page = await openFunnel();
  await eventually(() => kinds(batches)).toEqual(['view', 'step_view']);
  await page.getByLabel('Battery').check();
  await page.goto('about:blank');
  const beacons = () => batches.filter(({ contentType }) => contentType?.startsWith('text/plain'));
  await eventually(() => kinds(beacons())).toEqual(['start']);
}, 30_000);

test('events without an acknowledgement are sent again after a reload, under the same ids', async () => {
  answer = 503;
  const page = await openFunnel();
  await page.getByLabel('Battery').check();
  await eventually(() => new Set(kinds(batches))).toEqual(new Set(['view', 'step_view', 'start']));
  const refused = ids(batches);
  batches = [];
  answer = 200;
  await page.reload();
  await eventually(() => [...refused].filter((id) => !ids(batches).has(id))).toEqual([]);
}, 30_000);

test('a refused batch is given up, and the events after it still go out', async () => {
  answer = 400;
  const page = await openFunnel();
  await eventually(() => kinds(batches)).toEqual(['view', 'step_view']);
  answer = 200;
  await page.getByLabel('Battery').check();
  await eventually(() => kinds(batches)).toEqual(['view', 'step_view', 'start']);
}, 30_000);
