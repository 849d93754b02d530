import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ReportError } from '../common/output.ts';
import { ACCOUNT_ID } from '../gateway/proxy-event.ts';
import { REGION } from '../runtime/environment.ts';

export type Scheduled = { run: (event: unknown) => Promise<unknown>; everyMinutes: number };

export type Scheduler = { /** Lets the runs under way end. */ stop(): Promise<void> };

/** Locally a minute of a schedule is this short, so that a newcomer sees its effect; a run never overlaps the one before. */
const MINUTE_MS = 5_000;
/** One function begins after the other: all at once they would keep everybody else waiting. */
const APART_MS = 500;
/** What looks after things by the hour sees here to seldom leftovers of crashes. */
const LONGEST_MS = 60_000;

/** The laptop's EventBridge: runs each function again and again. */
export function startScheduler(scheduled: readonly Scheduled[], report: ReportError): Scheduler {
  const ending = new AbortController();
  const loops = scheduled.map(async (each, at) => {
    await pause(at * APART_MS, ending.signal);
    await repeat(each, ending.signal, report);
  });
  return {
    stop: async () => {
      ending.abort();
      await Promise.all(loops);
    },
  };
}

async function repeat({ run, everyMinutes }: Scheduled, ending: AbortSignal, report: ReportError): Promise<void> {
  const everyMs = Math.min(everyMinutes * MINUTE_MS, LONGEST_MS);
  while (!ending.aborted) {
    await run(scheduledEvent()).catch((error: unknown) => report('A scheduled function failed', error));
    await pause(everyMs, ending);
  }
}

/** Ends at once when there is nothing to wait for any more. */
const pause = (ms: number, ending: AbortSignal): Promise<unknown> =>
  delay(ms, undefined, { signal: ending }).catch(() => undefined);

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
