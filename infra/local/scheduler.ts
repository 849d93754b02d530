import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { REGION } from './environment.ts';
import { ACCOUNT_ID } from './gateway/proxy-event.ts';
import type { Report } from './report.ts';

type Run = (event: unknown) => Promise<unknown>;

export type Scheduler = { /** Lets the runs under way end. */ stop(): Promise<void> };

/** Locally every schedule is this short, so that a newcomer sees its effect; a run never overlaps the one before. */
const EVERY_MS = 5_000;

/** The laptop's EventBridge: runs each function again and again. */
export function startScheduler(runs: readonly Run[], report: Report): Scheduler {
  const ending = new AbortController();
  const loops = runs.map((run) => repeat(run, ending.signal, report));
  return {
    stop: async () => {
      ending.abort();
      await Promise.all(loops);
    },
  };
}

async function repeat(run: Run, ending: AbortSignal, report: Report): Promise<void> {
  while (!ending.aborted) {
    await run(scheduledEvent()).catch((error: unknown) => report('A scheduled function failed', error));
    await delay(EVERY_MS, undefined, { signal: ending }).catch(() => undefined);
  }
}

const scheduledEvent = () => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'Scheduled Event',
  source: 'aws.events',
  account: ACCOUNT_ID,
  time: new Date().toISOString(),
  region: REGION,
  resources: [],
  detail: {},
});
