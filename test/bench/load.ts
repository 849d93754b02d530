import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import autocannon from 'autocannon';

export type Call = { url: string; method: 'GET' | 'POST'; headers: Record<string, string>; body?: string | Buffer };

export type ClosedLoop = { perSecond: number; failed: number };

const CONNECTIONS = 20;
/** Pause before an open loop, so that the effects of the previous load end, mainly garbage collection. */
const SETTLED_MS = 1_000;

/** Closed loop: each of 20 connections sends its next request after the previous response. */
export async function closedLoop(calls: readonly Call[], seconds: number): Promise<ClosedLoop> {
  let connection = 0;
  const result = await autocannon({
    url: new URL(calls[0]?.url ?? '').origin,
    connections: CONNECTIONS,
    duration: seconds,
    setupClient: (client) => {
      const number = connection++ % CONNECTIONS;
      const share = calls.filter((_, index) => index % CONNECTIONS === number % calls.length);
      client.setRequests(
        share.map(({ url, method, headers, body = '' }) => ({ path: new URL(url).pathname, method, headers, body })),
      );
    },
  });
  return { perSecond: result['2xx'] / result.duration, failed: result.non2xx + result.errors };
}

export type OpenLoop = { p50: number; p99: number; failed: number };

/**
 * Open loop: sends requests at a fixed rate, regardless of responses. Times are in milliseconds from the scheduled time
 * of a request to the end of its response.
 */
export async function openLoop(callOf: (index: number) => Call, perSecond: number, seconds: number): Promise<OpenLoop> {
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  const start = performance.now() + SETTLED_MS;
  const outcomes = await Promise.all(
    Array.from({ length: perSecond * seconds }, (_, index) =>
      timed(callOf(index), agent, start + (index * 1_000) / perSecond),
    ),
  );
  agent.destroy();
  const times = outcomes.flatMap(({ ok, ms }) => (ok ? [ms] : []));
  return { ...quantiles(times), failed: outcomes.length - times.length };
}

async function timed(call: Call, agent: Agent, due: number): Promise<{ ok: boolean; ms: number }> {
  await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
  const ok = await send(call, agent);
  return { ok, ms: performance.now() - due };
}

/** @returns whether a response with a status below 300 arrived */
export function send({ url, method, headers, body }: Call, agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request(url, { method, headers, agent }, (response) => {
      response.resume();
      response.on('end', () => resolve((response.statusCode ?? 500) < 300));
    });
    sent.on('error', () => resolve(false));
    sent.end(body);
  });
}

/** Quantiles by the nearest-rank method. */
export function quantiles(times: readonly number[]): { p50: number; p95: number; p99: number } {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
