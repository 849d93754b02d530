import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { hashToken } from '../../shared/leads/lead-handle.ts';
import { barePutRecord, bareUpdateItem } from './bare.ts';
import { type Call, type ClosedLoop, closedLoop, openLoop, quantiles, send } from './load.ts';
import { recordPutBy } from './stream-record.ts';

/** The parts of `.local/demo.json` that the bench needs. */
export type Demo = {
  baseUrl: string;
  organizations: { a: { id: string } };
  tokens: { memberA: string };
  funnel: { id: string };
  emptyFunnel: { id: string };
  aws: { dynamodb: string; kinesis: string; stream: string; region: string; tables: { leads: string } };
};

const SECONDS = 8;
const OPEN_LOOP_SECONDS = 10;
const BATCH = 50;
const USER_AGENT =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
const JSON_HEADERS = { 'content-type': 'application/json', 'user-agent': USER_AGENT };

export const anEvent = (type: string, stepIndex: number) => ({
  eventId: randomUUID(),
  sessionId: randomUUID(),
  timestamp: new Date().toISOString(),
  pageUrl: 'https://shop.example/offer?utm_source=newsletter',
  referrer: 'https://news.example/article/42',
  language: 'de-DE',
  payload: { type, variant: 'b' },
  stepId: `step-${stepIndex}`,
  stepIndex,
  utmSource: 'newsletter',
  utmMedium: 'email',
  utmCampaign: 'spring',
  version: 2,
});

const many = (make: () => Call): Call[] => Array.from({ length: 200 }, make);

export function ingestCall(demo: Demo, events: number, type = 'step_view'): Call {
  return {
    url: `${demo.baseUrl}/api/v2/public/funnel/${demo.funnel.id}/analytics`,
    method: 'POST',
    headers: JSON_HEADERS,
    body: JSON.stringify({ events: Array.from({ length: events }, (_, index) => anEvent(type, index % 3)) }),
  };
}

/** Compares ingest requests of 50 events with bare PutRecord requests of a record with 50 events. */
export async function ingestBatches(demo: Demo) {
  const sample = ingestCall(demo, BATCH);
  const record = await recordPutBy(demo.aws, () => send(sample, new Agent()));
  const bare = await closedLoop(
    many(() => barePutRecord(demo.aws.kinesis, demo.aws.stream, record, randomUUID())),
    SECONDS,
  );
  const ours = await closedLoop(
    many(() => ingestCall(demo, BATCH)),
    SECONDS,
  );
  return { bare, ours, eventsPerSecond: ours.perSecond * BATCH, recordBytes: record.byteLength };
}

export const ingestSingles = (demo: Demo) => openLoop(() => ingestCall(demo, 1), 200, OPEN_LOOP_SECONDS);

const LeadReply = z.object({ data: z.object({ id: z.string(), update_token: z.string() }) });
type Handle = z.infer<typeof LeadReply>['data'];

const submitCall = (demo: Demo, said: object): Call => ({
  url: `${demo.baseUrl}/api/v2/public/funnel/${demo.funnel.id}/submit`,
  method: 'POST',
  headers: JSON_HEADERS,
  body: JSON.stringify({ page_url: 'https://shop.example/offer', step_id: 'bench', ...said }),
});

export async function newLead(demo: Demo): Promise<Handle> {
  const { url, headers, body } = submitCall(demo, { data: { channel: 'bench' } });
  const response = await fetch(url, { method: 'POST', headers, body: body ?? '' });
  return LeadReply.parse(await response.json()).data;
}

const ANSWERS = { note: 'Please call in the morning', interest: 'offer', budget: '4200' };

const updateOf = (demo: Demo, { id, update_token }: Handle): Call =>
  submitCall(demo, { lead_id: id, update_token, data: ANSWERS });

/** The UpdateItem request that the service sends for the submit of `updateOf`. */
const bareUpdateOf = (demo: Demo, { id, update_token }: Handle): Call =>
  bareUpdateItem(
    demo.aws.dynamodb,
    demo.aws.tables.leads,
    { funnelId: demo.funnel.id, leadId: id },
    {
      tokenHash: hashToken(update_token),
      atMs: Date.now(),
      tokenExpiresAtMs: Date.now() + 30 * 86_400_000,
      retainedUntilMs: undefined,
      dataChanges: new Map(Object.entries(ANSWERS).map(([key, value]) => [key, JSON.stringify(value)])),
      stepId: 'bench',
      isValidLastStep: false,
      pageUrl: 'https://shop.example/offer',
      webcomponentArgs: undefined,
      cookieConsent: undefined,
      consents: [],
      deviceClass: 'mobile',
    },
  );

/** With this number of leads, no lead reaches its size limit, and connections do not compete for the same lead. */
const LEADS = 200;

/** Compares submits that update leads with bare UpdateItem requests that change other leads in the same way. */
export async function submits(demo: Demo) {
  const handles: Handle[] = [];
  for (let lead = 0; lead < 2 * LEADS; lead++) handles.push(await newLead(demo));
  const updates = handles.slice(0, LEADS).map((handle) => updateOf(demo, handle));
  const bareUpdates = handles.slice(LEADS).map((handle) => bareUpdateOf(demo, handle));
  const bare = await closedLoop(bareUpdates, SECONDS);
  const ours = await closedLoop(updates, SECONDS);
  const paced = await openLoop((index) => updates[index % LEADS] ?? ingestCall(demo, 1), 100, OPEN_LOOP_SECONDS);
  return { bare, ours, paced };
}

/** Creates as many leads as `updates` needs. */
export async function newLeads(demo: Demo): Promise<Handle[]> {
  const handles: Handle[] = [];
  for (let lead = 0; lead < LEADS; lead++) handles.push(await newLead(demo));
  return handles;
}

/** Measures the rate of submits that update the leads. */
export const updates = (demo: Demo, leads: readonly Handle[], seconds: number): Promise<ClosedLoop> =>
  closedLoop(
    leads.map((handle) => updateOf(demo, handle)),
    seconds,
  );

const OVERVIEWS = 200;

/**
 * Measures the overview of the seeded funnel in milliseconds per request. Sends one request after another, with
 * alternating ranges.
 *
 * @param between what happens before each request, outside of the measured time
 */
export async function overviews(
  demo: Demo,
  between: 'nothing' | 'an event',
): Promise<{ p50: number; p99: number; failed: number }> {
  const agent = new Agent({ keepAlive: true });
  const path = `/api/v2/organizations/${demo.organizations.a.id}/funnels/${demo.funnel.id}/analytics/overview`;
  const times: number[] = [];
  let failed = 0;
  for (let index = 0; index < OVERVIEWS; index++) {
    const range = ['today', '7d', '30d', '90d', 'all'][index % 5];
    const call: Call = {
      url: `${demo.baseUrl}${path}?range=${range}`,
      method: 'GET',
      headers: { authorization: `Bearer ${demo.tokens.memberA}` },
    };
    if (between === 'an event') await send(ingestCall(demo, 1), agent);
    const start = performance.now();
    if (!(await send(call, agent))) failed++;
    times.push(performance.now() - start);
  }
  agent.destroy();
  return { ...quantiles(times), failed };
}

const FRESHNESS_SAMPLES = 40;
const FRESHNESS_MS_MAX = 30_000;
const Starts = z.object({ overview: z.object({ totalStarts: z.number() }) });

/** Measures, for one event after another, the milliseconds from its acknowledgement until the overview counts it. */
export async function freshness(demo: Demo): Promise<{ p50: number; p95: number }> {
  const quiet = { ...demo, funnel: demo.emptyFunnel };
  const path = `/api/v2/organizations/${demo.organizations.a.id}/funnels/${demo.emptyFunnel.id}/analytics/overview`;
  const starts = async () => {
    const headers = { authorization: `Bearer ${demo.tokens.memberA}` };
    const response = await fetch(`${demo.baseUrl}${path}?range=today`, { headers });
    return Starts.parse(await response.json()).overview.totalStarts;
  };
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  for (let sample = 0; sample < FRESHNESS_SAMPLES; sample++) {
    const before = await starts();
    if (!(await send(ingestCall(quiet, 1, 'start'), agent))) throw new Error('The event was rejected.');
    const acknowledged = performance.now();
    while ((await starts()) === before) {
      if (performance.now() - acknowledged > FRESHNESS_MS_MAX)
        throw new Error(`The overview did not count the event within ${FRESHNESS_MS_MAX / 1_000} s.`);
      await sleep(5);
    }
    times.push(performance.now() - acknowledged);
  }
  agent.destroy();
  return quantiles(times);
}
