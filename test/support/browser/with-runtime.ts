import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type LocalRuntime, startLocalRuntime } from '../local/runtime.ts';
import { useLocalRuntime } from '../local/use-local-runtime.ts';
import { launchChromium } from './chromium.ts';
import { openFunnel } from './walk.ts';

/** Starts a browser, and `npm start` with the visits of the demo. */
export function withRuntime() {
  let runtime: LocalRuntime;
  beforeAll(async () => {
    runtime = await startLocalRuntime();
  }, 120_000);
  afterAll(async () => void (await runtime?.stop()), 20_000);
  return withBrowser(() => runtime);
}

/** Starts a browser, and borrows a running `npm start -- --empty`. */
export function withBorrowedRuntime() {
  const runtime = useLocalRuntime();
  return withBrowser(() => runtime);
}

function withBrowser(runtime: () => Pick<LocalRuntime, 'demo' | 'state'>) {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  }, 120_000);
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
  });
  afterAll(() => browser?.close(), 20_000);
  return {
    demo: () => runtime().demo,
    state: () => runtime().state,
    browser: () => browser,
    open: () => openFunnel(browser, runtime().demo.pages.funnel),
  };
}
