import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { billOf } from '../../infra/cli/cost/bill.ts';
import { messagesOf } from '../../infra/cli/cost/deliveries.ts';
import { volumesOf } from '../../infra/cli/cost/volumes.ts';
import { dispatchMessages } from '../../shared/deliveries/dispatch-messages.ts';
import type { Resolver } from '../../shared/webhooks/dns-resolver.ts';
import { createMessageSender } from '../../shared/webhooks/send-message.ts';
import { dispatchWorld } from '../support/deliveries/dispatch-world.ts';
import { startHttpServer } from '../support/http-server.ts';
import { type LocalRuntime, startLocalRuntime } from '../support/local/runtime.ts';
import { quantiles } from './load.ts';
import { newLead, newLeads, updates } from './scenarios.ts';
import { figure, type Row, row } from './table.ts';

const ENDPOINTS_OF_ORGANIZATION = 10;
/** Number of loads with endpoints. The same number of loads runs without endpoints. */
const PAIRS = 12;
const LOAD_SECONDS = 4;
/** Pause before each load, so that the effects of earlier requests end. */
const SETTLED_MS = 1_000;
const WARM_UP_LEADS = 5;
const PACED_LEADS = 40;
const PACE_MS = 500;

/**
 * Measures how much endpoints slow down submits, how soon messages about new leads are sent, and how much 20 hanging
 * endpoints delay 180 other endpoints. Computes the messages per dollar.
 */
export async function deliveries(): Promise<Row[]> {
  return [...(await measureSubmits()), await measureFirstAttempts(), ...(await measureFairness()), messagesPerDollar()];
}

type Arrival = { leadId: string; atMs: number };

/** Calls `measure` with a service that sends messages, and with the list of the messages that have arrived. */
async function withReceiver<T>(
  measure: (runtime: LocalRuntime, origin: string, arrivals: readonly Arrival[]) => Promise<T>,
): Promise<T> {
  const arrivals: Arrival[] = [];
  const receiver = await startHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      arrivals.push({ leadId: JSON.parse(String(Buffer.concat(chunks))).data.leadId, atMs: performance.now() });
      response.writeHead(204).end();
    });
  });
  const args = ['--empty', '--webhook-origin', receiver.url];
  const runtime = await startLocalRuntime({ args, env: { LOCAL_RATE_LIMITS: 'off' } });
  try {
    return await measure(runtime, receiver.url, arrivals);
  } finally {
    await runtime.stop();
    receiver.close();
  }
}

/**
 * Creates leads while endpoints exist, and waits until their messages have arrived. Then updates the leads in short
 * loads, alternately with and without endpoints. The order changes from pair to pair, so that neither the speed of the
 * machine nor the growth of the stored data counts as a cost of the endpoints. The loads update each lead so often that
 * the messages about updates become due only after all loads.
 */
const measureSubmits = (): Promise<Row[]> =>
  withReceiver(async (runtime, origin, arrivals) => {
    await createEndpoints(runtime, origin);
    const leads = await newLeads(runtime.demo);
    while (arrivals.length < leads.length * ENDPOINTS_OF_ORGANIZATION) await sleep(20);
    const messagesPerSecond = perSecond(arrivals);
    await sleep(SETTLED_MS);
    // The first load warms the service up.
    await updates(runtime.demo, leads, LOAD_SECONDS);
    const totals = { withEndpoints: 0, without: 0 };
    let failed = 0;
    for (let pair = 0; pair < PAIRS; pair++) {
      const order = ['withEndpoints', 'without'] as const;
      for (const variant of pair % 2 === 0 ? order : order.toReversed()) {
        await (variant === 'withEndpoints' ? createEndpoints(runtime, origin) : deleteEndpoints(runtime));
        await sleep(SETTLED_MS);
        const load = await updates(runtime.demo, leads, LOAD_SECONDS);
        totals[variant] += load.perSecond;
        failed += load.failed;
      }
    }
    const ratio = totals.withEndpoints / totals.without;
    return [
      row('submit: rate with ten webhook endpoints, ratio to none', ratio, 0.9, '', 'at least'),
      row('submit: failed requests', failed, 0, '', 'at most'),
      figure('webhook messages per second, while leads are created', messagesPerSecond, ''),
    ];
  });

const perSecond = (arrivals: readonly Arrival[]): number =>
  (1_000 * arrivals.length) / ((arrivals.at(-1)?.atMs ?? 0) - (arrivals[0]?.atMs ?? 0));

/** Starts a new service, because messages of the earlier load test would delay the messages about new leads. */
const measureFirstAttempts = (): Promise<Row> =>
  withReceiver(async (runtime, origin, arrivals) => {
    await createEndpoints(runtime, origin);
    const latencies: number[] = [];
    for (let lead = 0; lead < WARM_UP_LEADS + PACED_LEADS; lead++) {
      const { id } = await newLead(runtime.demo);
      const createdMs = performance.now();
      await sleep(PACE_MS);
      const ofLead = () => arrivals.filter(({ leadId }) => leadId === id);
      while (ofLead().length < ENDPOINTS_OF_ORGANIZATION) await sleep(20);
      if (lead >= WARM_UP_LEADS) latencies.push(...ofLead().map(({ atMs }) => atMs - createdMs));
    }
    return row('lead created to first attempt, p95', quantiles(latencies).p95, 2_000, 'ms', 'at most');
  });

const endpointsOf = ({ demo: { baseUrl, organizations, tokens } }: LocalRuntime) => ({
  url: `${baseUrl}/api/v2/organizations/${organizations.a.id}/webhook-endpoints`,
  headers: { authorization: `Bearer ${tokens.adminA}`, 'content-type': 'application/json' },
});

async function deleteEndpoints(runtime: LocalRuntime): Promise<void> {
  const { url, headers } = endpointsOf(runtime);
  const existing = (await (await fetch(url, { headers })).json()) as { endpoints: { id: string }[] };
  for (const { id } of existing.endpoints) await fetch(`${url}/${id}`, { method: 'DELETE', headers });
}

/** Replaces the endpoints of the organization. */
async function createEndpoints(runtime: LocalRuntime, origin: string): Promise<void> {
  await deleteEndpoints(runtime);
  const { url, headers } = endpointsOf(runtime);
  for (let number = 0; number < ENDPOINTS_OF_ORGANIZATION; number++) {
    const body = JSON.stringify({ url: `${origin}/${number}`, eventTypes: ['lead.created', 'lead.updated'] });
    const { status } = await fetch(url, { method: 'POST', headers, body });
    if (status !== 201) throw new Error(`No webhook endpoint was created: status ${status}.`);
  }
}

const ENDPOINTS = 200;
const HANGING = 20;
/**
 * The load lasts 70 s. An endpoint that hangs rests for a minute (`REST_MS`), so the dispatcher tries it again during
 * the load.
 */
const LEADS = 28;
const LEAD_INTERVAL_MS = 2_500;
const RUN_INTERVAL_MS = 1_000;
const RESPONSE_MS = 100;

/**
 * Compares the delays at 180 endpoints in two measurements. In the first measurement, 20 other endpoints also respond.
 * In the second measurement, these 20 endpoints hang in DNS, TLS or the body.
 */
async function measureFairness(): Promise<Row[]> {
  const receiver = await startHttpServer((request, response) => {
    request.resume();
    if (request.url?.startsWith('/body')) response.writeHead(200).write('{');
    else setTimeout(() => response.writeHead(204).end(), RESPONSE_MS);
  });
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const tls = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const hangs = (index: number) =>
    [`https://dns.shop.example/${index}`, `${tls}/${index}`, `${receiver.url}/body/${index}`][index % 3] ?? '';
  const resolver: Resolver = { resolve4: unanswered, resolve6: unanswered };
  const send = createMessageSender({ allowedOrigins: [receiver.url, tls], ownHostnames: [], resolver });
  try {
    const urlOf = (index: number) => `${receiver.url}/${index}`;
    const without = await delays((index) => urlOf(index), send);
    const withHanging = await delays((index) => (index < HANGING ? hangs(index) : urlOf(index)), send);
    const ratio = quantiles(withHanging).p95 / quantiles(without).p95;
    const all = without.length === withHanging.length ? LEADS * (ENDPOINTS - HANGING) - without.length : Number.NaN;
    return [
      row('180 endpoints beside 20 that hang: p95, ratio to the p95 without the 20', ratio, 1.2, '', 'at most'),
      row('180 endpoints beside 20 that hang: missing messages', all, 0, '', 'at most'),
    ];
  } finally {
    receiver.close();
    silent.close();
  }
}

const unanswered = (_hostname: string, signal: AbortSignal): Promise<string[]> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

/** Returns the milliseconds from the change to the attempt, for each attempt at the 180 endpoints that respond. */
async function delays(urlOf: (index: number) => string, send: ReturnType<typeof createMessageSender>) {
  const world = dispatchWorld();
  world.clock.now = () => Date.now();
  const urls = Array.from({ length: ENDPOINTS }, (_, index) => world.endpoint({ url: urlOf(index) }).url);
  const compared = new Set(urls.slice(HANGING));
  const createdMs = new Map<string, number>();
  const found: number[] = [];
  const ports = world.portsOf();
  const timed: typeof send = (request) => {
    const { data } = JSON.parse(request.body);
    if (compared.has(request.url)) found.push(Date.now() - (createdMs.get(data.leadId) ?? 0));
    return send(request);
  };
  let isOver = false;
  const dispatch = async () => {
    while (!isOver) {
      await dispatchMessages({ ...ports, send: timed, sleep });
      await sleep(RUN_INTERVAL_MS);
    }
  };
  const dispatching = dispatch();
  for (let lead = 0; lead < LEADS; lead++) {
    createdMs.set(world.create().leadId, Date.now());
    await sleep(LEAD_INTERVAL_MS);
  }
  isOver = true;
  await dispatching;
  return found;
}

/** Computes the webhook messages per dollar with the cost model, for 100,000 leads in a month. */
function messagesPerDollar(): Row {
  const [none, one] = [0, 1].map((webhookEndpoints) => volumesOf({ leads: 100_000, webhookEndpoints }));
  if (none === undefined || one === undefined) return figure('webhook messages per dollar', Number.NaN, '');
  const dollars = billOf(one, 'prod').total - billOf(none, 'prod').total;
  return figure('webhook messages per dollar', messagesOf(one) / dollars, '');
}
