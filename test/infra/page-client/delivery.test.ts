import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundlePageClient, readIntegrity } from '../../../infra/bundles/page-client.ts';
import { startPages } from '../../../infra/local/example-page/server.ts';
import { ALIAS_FOLDER, contentType, VERSION_FOLDER } from '../../../infra/page-client/delivery.ts';
import { launchChromium } from '../../support/browser/chromium.ts';
import { demoAt } from '../../support/browser/stub-api.ts';

let pages: Awaited<ReturnType<typeof startPages>>;
let browser: Browser;
let scriptElement = '';
/**
 * A page of another site. Because of `Cross-Origin-Embedder-Policy`, the browser runs a script of our site only if the
 * response with the script allows this.
 */
const site = createServer((_, response) => {
  response.writeHead(200, { 'Content-Type': 'text/html', 'Cross-Origin-Embedder-Policy': 'require-corp' });
  response.end(scriptElement);
});

beforeAll(async () => {
  await bundlePageClient();
  [pages, browser] = await Promise.all([startPages(0), launchChromium()]);
  pages.show(demoAt('http://127.0.0.1:9'));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await pages?.close();
  site.closeAllConnections();
  site.close();
});

/** Opens the page with these attributes of its script. Returns whether the script ran. */
async function runs(folder: string, attributes: string): Promise<boolean> {
  const src = `http://127.0.0.1:${pages.port}/${folder}/funnel.js`;
  scriptElement = `<script ${attributes} src="${src}" data-funnel="5d0f1d3e-29f7-4b61-8b4a-0d8d7f3f7a01"></script>`;
  const page = await browser.newPage();
  await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
  const hasRun = await page.evaluate<boolean>('"tributary" in window');
  await page.close();
  return hasRun;
}

test('a page of another site runs the script of a version with the right integrity hash, but not with a wrong hash', async () => {
  const { 'funnel.js': hash, 'funnel.mjs': other } = await readIntegrity();
  expect(await runs(VERSION_FOLDER, `crossorigin integrity="${hash}"`)).toBe(true);
  expect(await runs(VERSION_FOLDER, `crossorigin integrity="${other}"`)).toBe(false);
});

test('a page of another site runs the script of the major version, with and without CORS', async () => {
  expect(await runs(ALIAS_FOLDER, 'crossorigin')).toBe(true);
  expect(await runs(ALIAS_FOLDER, '')).toBe(true);
});

test.each([
  ['funnel.js', 'text/javascript; charset=utf-8'],
  ['funnel.mjs', 'text/javascript; charset=utf-8'],
  ['funnel.d.mts', 'text/plain; charset=utf-8'],
])('%s has the type %s', (file, type) => expect(contentType(file)).toBe(type));
