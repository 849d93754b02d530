import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type LocalRuntime, startLocalRuntime } from '../local/runtime.ts';
import { launchChromium } from './chromium.ts';
import { openFunnel } from './walk.ts';

/** Starts a browser and `npm start`. @param args arguments of `npm start`, for example `--empty` */
export function withRuntime(args: readonly string[] = []) {
  let runtime: LocalRuntime;
  let browser: Browser;
  beforeAll(async () => {
    [runtime, browser] = await Promise.all([startLocalRuntime({ args }), launchChromium()]);
  }, 120_000);
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await runtime?.stop();
  }, 20_000);
  return {
    demo: () => runtime.demo,
    state: () => runtime.state,
    browser: () => browser,
    open: () => openFunnel(browser, runtime.demo.pages.funnel),
  };
}
