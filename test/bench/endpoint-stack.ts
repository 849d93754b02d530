import { performance } from 'node:perf_hooks';
import type { Context } from 'aws-lambda';
import { createHandler } from '../../functions/training/create-case/handler.ts';
import { createCaseOperation } from '../../functions/training/create-case/operation.ts';
import { unlimitedRateLimiter } from '../../shared/limits/rate-limits-disabled.ts';
import { systemIdGenerator } from '../../shared/platform/id-generator.ts';
import { proxyEvent } from '../support/http.ts';
import { quantiles } from './load.ts';

const ORG = '3f2a9c1e-7b4d-4c8a-9e60-5d1f2b3c4a59';
/** With fewer requests, the runtime still compiles code in the background while the requests are measured. */
const WARM_UP = 20_000;
const RUNS = 10_000;

const body = {
  name: 'Price objection',
  description: 'The customer finds the offer too expensive',
  situation: 'A second call after the offer was sent',
  objective: 'Keep the price and agree on a date',
  successCriteria: 'A date is agreed',
  dos: [{ label: 'Names the next step' }, { label: 'Asks before answering' }],
};

/** Measures an organization route with all its middleware, and with ports that do no I/O, in ms per request. */
export async function endpointStack(): Promise<{ p50: number; p99: number }> {
  const handler = createHandler({
    authorization: {
      authenticator: { authenticate: async () => ({ userId: 'user' }) },
      authorizer: { authorize: async () => ({ userId: 'user', role: 'admin' }) },
      rateLimiter: unlimitedRateLimiter,
    },
    cases: { add: async () => undefined },
    ids: systemIdGenerator,
  });
  const times: number[] = [];
  for (let run = 0; run < WARM_UP + RUNS; run++) {
    const event = proxyEvent(createCaseOperation, {
      path: { orgId: ORG },
      body,
      headers: { 'content-type': 'application/json' },
    });
    const start = performance.now();
    const response = await handler(event, {} as Context);
    if (response.statusCode !== 201)
      throw new Error(`The stack responded with status ${response.statusCode}: ${response.body}`);
    if (run >= WARM_UP) times.push(performance.now() - start);
  }
  return quantiles(times);
}
