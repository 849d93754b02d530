import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runChaos } from '../../support/browser/chaos.ts';
import { launchChromium } from '../../support/browser/chromium.ts';
import { type LocalRuntime, startLocalRuntime } from '../../support/local/runtime.ts';

let runtime: LocalRuntime;
let browser: Browser;
beforeAll(async () => {
  const env = { LOCAL_RATE_LIMITS: 'off' };
  [runtime, browser] = await Promise.all([startLocalRuntime({ args: ['--empty'], env }), launchChromium()]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await runtime?.stop();
}, 20_000);

test('despite failures of the API, connection and tabs, no lead and less than 1 % of the events are lost', async () => {
  const seed = Math.floor(Math.random() * 1e6);
  const result = await runChaos({ browser, demo: runtime.demo, sessions: 60, concurrency: 6, seed });
  const { consented, lostEvents, submits, expected } = result;
  const hint = `seed ${seed}`;
  expect(result, hint).toMatchObject({
    forbidden: [],
    missingSubmits: [],
    duplicateLeads: [],
    overtaken: [],
    unfinished: [],
    counted: expected,
  });
  expect(lostEvents.length, `${hint}, lost ${lostEvents} of ${consented}`).toBeLessThan(consented / 100);
  // With few events or submits, the assertions above would prove little.
  expect(Math.min(consented, submits), hint).toBeGreaterThan(50);
}, 180_000);
