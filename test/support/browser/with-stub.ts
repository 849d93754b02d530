import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { bundlePageClient } from '../../../infra/bundles/page-client.ts';
import { launchChromium } from './chromium.ts';
import { startStub } from './stub-api.ts';
import { openFunnel } from './walk.ts';

/** Starts a browser, the example pages and a stub of the API. The stub is reset after each test. */
export function withStub() {
  let stub: Awaited<ReturnType<typeof startStub>>;
  let browser: Browser;
  beforeAll(async () => {
    await bundlePageClient();
    [stub, browser] = await Promise.all([startStub(), launchChromium()]);
  }, 60_000);
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    stub.reset();
  });
  afterAll(async () => {
    await browser?.close();
    await stub?.close();
  });
  return { stub: () => stub, browser: () => browser, open: () => openFunnel(browser, stub.pagesUrl) };
}
