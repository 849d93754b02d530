import type { IncomingMessage, ServerResponse } from 'node:http';
import { BroadcastChannel } from 'node:worker_threads';

// Reports of writes to the stand-ins. The consumers of the stream, and scheduled functions with short intervals, run
// soon after a report. Therefore, they need not poll often. The process of the stand-ins sends the reports to its
// parent process, which passes each report to its threads.

export type WrittenStandIn = 'dynamodb' | 'kinesis';

const channelOf = (standIn: WrittenStandIn) => new BroadcastChannel(`writes to ${standIn}`);
const WRITE = /\.(Put|Update|Delete|BatchWrite|TransactWrite)/;
/**
 * All writes within this time are reported together. A loaded service writes hundreds of times a second, and each
 * report passes through up to four threads.
 */
const REPORT_INTERVAL_MS = 100;

type Server = { on(event: 'request', listener: (request: IncomingMessage, response: ServerResponse) => void): unknown };

/** Calls `report` after writes to a server of the DynamoDB or Kinesis stand-in. Returns the server. */
export function reportWrites<S extends Server>(server: S, report: () => void): S {
  let isScheduled = false;
  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(() => {
      isScheduled = false;
      report();
    }, REPORT_INTERVAL_MS);
  };
  server.on('request', ({ headers }, response) => {
    if (WRITE.test(`${headers['x-amz-target']}`)) response.once('finish', schedule);
  });
  return server;
}

/** Returns a function that passes a reported write on to all threads of this process. */
export function createWriteBroadcast(): (standIn: WrittenStandIn) => void {
  const channels = { dynamodb: channelOf('dynamodb'), kinesis: channelOf('kinesis') };
  for (const channel of Object.values(channels)) channel.unref();
  return (standIn) => channels[standIn].postMessage(undefined);
}

export type Writes = {
  /** Number of reports so far. */
  count(): number;
  /** Waits until `count()` differs from `seen`, but at most for `ms`. An aborted signal ends the wait. */
  waitForNext(seen: number, ms: number, stopping: AbortSignal): Promise<void>;
};

/** Counts the reports of writes to a stand-in that reach this thread. */
export function countWrites(standIn: WrittenStandIn): Writes {
  let count = 0;
  const waiting = new Set<() => void>();
  const channel = channelOf(standIn);
  channel.unref();
  channel.onmessage = () => {
    count += 1;
    for (const wake of waiting) wake();
  };
  return {
    count: () => count,
    waitForNext: async (seen, ms, stopping) => {
      if (count !== seen || stopping.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const wake = () => resolve();
      const timer = setTimeout(wake, ms);
      waiting.add(wake);
      stopping.addEventListener('abort', wake);
      await promise;
      stopping.removeEventListener('abort', wake);
      waiting.delete(wake);
      clearTimeout(timer);
    },
  };
}
