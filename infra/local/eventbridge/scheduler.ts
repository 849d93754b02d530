import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ReportError } from '../common/output.ts';
import type { Writes } from '../emulators/writes.ts';
import { ACCOUNT_ID, REGION } from '../runtime/environment.ts';

export type Schedule = {
  /** The function's id, for the message about a failed run. */
  id: string;
  run: (event: unknown) => Promise<unknown>;
  everyMinutes: number;
  /** The interval on a laptop, which replaces `everyMinutes`. While nothing is written, it is three times as long. */
  laptopSeconds?: number;
};

export type Scheduler = { /** Waits for running functions. */ stop(): Promise<void> };

/** On a laptop, a minute of a schedule takes 5 s, so that the effects of background functions are visible soon. */
const MINUTE_MS = 5_000;
/** Time between the first runs of two functions. If all functions started together, they would delay other work. */
const START_INTERVAL_MS = 500;
/** Maximum interval on a laptop. Even hourly functions run every 60 s, so that they soon clean up after crashes. */
const INTERVAL_MS_MAX = 60_000;
/** After its interval, a function with `laptopSeconds` waits for a write, but at most for this number of intervals. */
const IDLE_INTERVALS = 2;

/** The EventBridge stand-in: runs each function periodically. Runs of a function never overlap. */
export function startScheduler(schedules: readonly Schedule[], writes: Writes, reportError: ReportError): Scheduler {
  const stopping = new AbortController();
  // Start functions with short intervals first, because users wait for their effects.
  const ordered = schedules.toSorted((one, other) => intervalMs(one) - intervalMs(other));
  const loops = ordered.map(async (schedule, index) => {
    await abortableDelay(index * START_INTERVAL_MS, stopping.signal);
    await runPeriodically(schedule, writes, stopping.signal, reportError);
  });
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function runPeriodically(
  schedule: Schedule,
  writes: Writes,
  stopping: AbortSignal,
  reportError: ReportError,
): Promise<void> {
  while (!stopping.aborted) {
    const writesBefore = writes.count();
    const ran = schedule.run(createScheduledEvent());
    await ran.catch((error: unknown) => reportError(`A run of the scheduled function ${schedule.id} failed`, error));
    await abortableDelay(intervalMs(schedule), stopping);
    if (schedule.laptopSeconds !== undefined)
      await writes.waitForNext(writesBefore, IDLE_INTERVALS * intervalMs(schedule), stopping);
  }
}

const intervalMs = ({ everyMinutes, laptopSeconds }: Schedule): number =>
  laptopSeconds === undefined ? Math.min(everyMinutes * MINUTE_MS, INTERVAL_MS_MAX) : laptopSeconds * 1_000;

const abortableDelay = (ms: number, stopping: AbortSignal): Promise<unknown> =>
  delay(ms, undefined, { signal: stopping }).catch(() => undefined);

const createScheduledEvent = () => ({
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
