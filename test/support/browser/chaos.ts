import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { type Browser, type BrowserContext, devices, type Page } from 'playwright-core';
import { CREDENTIALS } from '../../../infra/local/runtime/environment.ts';
import type { Demo } from '../../../infra/local/seed/demo-json.ts';
import { createWeightedPicker, seededRandom } from '../../../infra/local/seed/random.ts';
import { ALIAS_FOLDER } from '../../../infra/page-client/delivery.ts';
import type { Overview } from '../../../shared/analytics/queries/overview.ts';
import { type ClientSite, startClientSite } from './client-site.ts';
import { crash } from './crash.ts';
import { type Fault, type FaultProxy, type ProxiedRequest, startFaultProxy } from './fault-proxy.ts';
import { readJournal, readRecord } from './stored-record.ts';

// Simulates visitors whose connection, API, browser and tabs fail. An oracle compares what the visitors did with what
// the service has stored.

type Act = { afterMs: number; kind: 'track' | 'submit' | 'grant'; type?: string };
type Api = 'up' | 'down' | 'unreliable';
type End = 'crash' | 'close' | 'leave' | 'reload';

type Visit = {
  tabs: Act[][];
  api: Api;
  /** Milliseconds after which the device is offline, until the end of the visit. */
  offlineAfterMs?: number;
  /** Milliseconds after which all tabs end. */
  endAfterMs: number;
  end: End;
  /** How far the device's clock is set back. Decreases from visit to visit, so that minutes seem to pass. */
  agoMs: number;
};

type Plan = { id: string; isGrantedAtFirst: boolean; visits: Visit[] };

/** What a page reported immediately: an act of a visitor, or the acknowledgement of a submit (`saved`). */
type Entry = {
  visitor: string;
  visit: number;
  page: number;
  kind: 'track' | 'submit' | 'grant' | 'saved';
  id: string;
};

const OUTAGE_MS = 10 * 60_000;
const { userAgent, viewport } = devices['Pixel 7'];

const pickEnd = createWeightedPicker<End>([
  [6, 'crash'],
  [2, 'close'],
  [2, 'leave'],
  [1, 'reload'],
]);
const pickApi = createWeightedPicker<Api>([
  [5, 'down'],
  [3, 'unreliable'],
  [2, 'up'],
]);
const pickFault = createWeightedPicker<Fault>([
  [4, 'none'],
  [2, 'refuse'],
  [2, 'unavailable'],
  [2, 'lose-response'],
]);
const pickType = createWeightedPicker([
  [3, 'view'],
  [2, 'start'],
  [4, 'step_view'],
  [1, 'complete'],
]);

/** The same seed gives the same plan. The time between an event and the death of its tab still differs between runs. */
function planVisitor(id: string, random: () => number): Plan {
  const upTo = (max: number) => Math.floor(random() * (max + 1));
  const acts = (): Act[] =>
    Array.from({ length: 2 + upTo(8) }, () => {
      const afterMs = upTo(60);
      return random() < 0.25 ? { afterMs, kind: 'submit' } : { afterMs, kind: 'track', type: pickType(random()) };
    });
  const isGrantedAtFirst = random() < 0.8;
  const visits = Array.from({ length: 1 + upTo(1) }, (_, index): Visit => {
    const tabs = Array.from({ length: random() < 0.25 ? 2 : 1 }, acts);
    if (index === 0 && !isGrantedAtFirst && random() < 0.6) {
      tabs[0]?.splice(upTo(tabs[0].length), 0, { afterMs: upTo(60), kind: 'grant' });
    }
    return {
      tabs,
      api: pickApi(random()),
      ...(random() < 0.2 && { offlineAfterMs: upTo(300) }),
      endAfterMs: 20 + upTo(700),
      end: pickEnd(random()),
      agoMs: OUTAGE_MS - index * 240_000,
    };
  });
  return { id, isGrantedAtFirst, visits };
}

/** Runs the acts of a tab in the page. Reports an act in the same task in which it calls the client. */
const RUN_ACTS = `window.runActs = async (visitor, visit, page, acts) => {
  let count = 0;
  for (const { afterMs, kind, type } of acts) {
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    const id = visitor + '-' + page + '-' + (count += 1);
    const note = (done) => window.report({ visitor, visit, page, kind: done, id });
    if (kind === 'track') window.funnel.track(type, { payload: { id } });
    if (kind === 'grant') window.funnel.consent.grant();
    if (kind === 'submit') {
      window.funnel.submit({ data: { visitor, [id]: true, last: id } })
        .then(({ status }) => { if (status === 'saved') note('saved'); });
    }
    note(kind);
  }
};`;

export type ChaosResult = {
  /** Number of events with the visitor's consent. */
  consented: number;
  /** Ids of events with consent that the service did not get. */
  lostEvents: string[];
  /** Events without consent that reached the service. */
  forbidden: string[];
  /** Number of submits that were acknowledged or tried at least once. */
  submits: number;
  /** Ids of these submits that no lead contains. */
  missingSubmits: string[];
  /** Visitors with more than one lead. */
  duplicateLeads: string[];
  /** Visitors whose lead contains an older value than their latest submit. */
  overtaken: string[];
  /** Devices that still stored submits, or events with consent, after the last visit. */
  unfinished: string[];
  /** What the service must count. */
  expected: Counts;
  /** What the service counts. */
  counted: Counts;
};

type Counts = { sessions: number; starts: number; completions: number };

type Options = { browser: Browser; demo: Demo; sessions: number; concurrency: number; seed: number };

/**
 * Generates visitors from the seed, and sends them to the demo's empty funnel, `concurrency` at a time. Compares what
 * the visitors did with what the service has stored.
 */
export async function runChaos({ browser, demo, sessions, concurrency, seed }: Options): Promise<ChaosResult> {
  const funnelId = demo.emptyFunnel.id;
  const plans = Array.from({ length: sessions }, (_, index) =>
    planVisitor(`v${index}`, seededRandom(seed * 100_003 + index)),
  );
  const faults = new Map<string, () => Fault>();
  const faultOf = (request: ProxiedRequest) => faults.get(visitorOf(request))?.() ?? 'none';
  const proxy = await startFaultProxy(demo.baseUrl, userAgent, faultOf);
  const site = await startClientSite({
    clientUrl: new URL(`/${ALIAS_FOLDER}/`, demo.pages.funnel).href,
    apiUrl: proxy.url,
    funnelId,
  });
  const world: World = { browser, site, funnelId, faults, entries: [], unfinished: [] };
  const waiting = plans.values();
  const work = async () => {
    for (const plan of waiting) await runVisitor(world, plan, seededRandom(seed + Number(plan.id.slice(1))));
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  site.close();
  proxy.close();
  const result = compare(world, plans, proxy, await readLeads(demo, funnelId));
  return { ...result, counted: await readCounts(demo, result.expected) };
}

type World = {
  browser: Browser;
  site: ClientSite;
  funnelId: string;
  faults: Map<string, () => Fault>;
  entries: Entry[];
  unfinished: string[];
};

/**
 * Reads the visitor's id from the body. A header could not contain the id, because browsers send the last requests of a
 * page without the headers of the context.
 */
const visitorOf = ({ body }: ProxiedRequest): string => /"(?:id|visitor)":"(v\d+)/.exec(body)?.[1] ?? '';

async function runVisitor(world: World, plan: Plan, random: () => number): Promise<void> {
  const { browser, site, funnelId, faults, entries } = world;
  const { id, visits } = plan;
  const context = await browser.newContext({ userAgent, viewport });
  await context.exposeBinding('report', (_source, entry: Entry) => {
    entries.push(entry);
  });
  await context.addInitScript({ content: RUN_ACTS });
  const mine = () => entries.filter(({ visitor }) => visitor === id);
  const isGranted = () => plan.isGrantedAtFirst || mine().some(({ kind }) => kind === 'grant');
  const pageUrl = () => `${site.url}/module?consent=${isGranted() ? 'granted' : 'pending'}`;
  let pageNumber = 0;
  for (const [visitNumber, visit] of visits.entries()) {
    faults.set(id, () => (visit.api === 'unreliable' ? pickFault(random()) : visit.api === 'down' ? 'refuse' : 'none'));
    const pages = await Promise.all(visit.tabs.map(() => openPage(context, pageUrl(), visit.agoMs)));
    for (const [at, page] of pages.entries()) {
      const call = `window.runActs(${JSON.stringify(id)}, ${visitNumber}, ${++pageNumber}, ${JSON.stringify(visit.tabs[at])})`;
      void page.evaluate(call).catch(() => undefined);
    }
    const { offlineAfterMs = visit.endAfterMs } = visit;
    if (offlineAfterMs < visit.endAfterMs) {
      await delay(offlineAfterMs);
      await context.setOffline(true);
      await delay(visit.endAfterMs - offlineAfterMs);
    } else await delay(visit.endAfterMs);
    await Promise.all(pages.map((page) => endPage(context, page, visit.end, site)));
    await context.setOffline(false);
  }
  faults.delete(id);
  const isReturnGranted = isGranted();
  const page = await openPage(context, pageUrl(), 0);
  const readStored = async () => {
    // Reads the journals before the record, because entries move from the journals to the record.
    const events = await readJournal(page, `tributary-${funnelId}/`);
    const submits = await readJournal(page, `tributary-${funnelId}-submits/`);
    const record = await readRecord(page, funnelId);
    return { events: [...events, ...record.events], submits: [...submits, ...record.submits] };
  };
  const isDone = async () => {
    const { events, submits } = await readStored();
    // Without a reported grant, the last page has no consent. Then events may stay stored, because a tab can have died
    // between its grant and the report.
    return submits.length === 0 && (events.length === 0 || !isReturnGranted);
  };
  for (let tries = 0; tries < 100 && !(await isDone()); tries += 1) await delay(200);
  if (!(await isDone())) world.unfinished.push(`${id} still stores ${JSON.stringify(await readStored())}`);
  await context.close();
}

async function openPage(context: BrowserContext, url: string, agoMs: number): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript({ content: `const now = Date.now; Date.now = () => now() - ${agoMs};` });
  await page.goto(url);
  await page.waitForFunction(() => Reflect.get(globalThis, 'funnel') !== undefined);
  return page;
}

async function endPage(context: BrowserContext, page: Page, end: End, site: ClientSite): Promise<void> {
  if (end === 'crash') return crash(context, page);
  // `goto` throws while the device is offline. The page is left nevertheless, because the browser shows an error page.
  if (end === 'leave') await page.goto(`${site.url}/elsewhere`).catch(() => undefined);
  if (end === 'reload') await page.reload().catch(() => undefined);
  await page.close();
}

const COUNTED_WITHIN_MS = 60_000;

/** Reads the counts of the last seven days until they are as expected, for at most a minute. */
async function readCounts(demo: Demo, expected: Counts): Promise<Counts> {
  const path = `/api/v2/organizations/${demo.organizations.a.id}/funnels/${demo.emptyFunnel.id}/analytics/overview`;
  const headers = { authorization: `Bearer ${demo.tokens.memberA}` };
  const deadline = Date.now() + COUNTED_WITHIN_MS;
  for (;;) {
    const { overview, devices } = (await (
      await fetch(`${demo.baseUrl}${path}?range=7d`, { headers })
    ).json()) as Overview;
    const sessions = devices.reduce((sum, { total }) => sum + total, 0);
    const counted = { sessions, starts: overview.totalStarts, completions: overview.totalCompletions };
    if (isDeepStrictEqual(counted, expected) || Date.now() > deadline) return counted;
    await delay(500);
  }
}

type StoredLead = { visitor: string; submits: Set<string>; last: string };

async function readLeads({ aws }: Demo, funnelId: string): Promise<StoredLead[]> {
  const endpoint = { endpoint: aws.dynamodb, region: aws.region, credentials: CREDENTIALS };
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(endpoint));
  const leads: StoredLead[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName: aws.tables.leads })) {
    for (const item of Items) {
      if (!`${item.pk}`.startsWith(`lead#${funnelId}#`)) continue;
      leads.push({
        visitor: /v\d+/.exec(JSON.stringify(item['d.visitor']))?.[0] ?? '',
        submits: new Set(Object.keys(item).flatMap((key) => /^d\.(v\d+-.*)/.exec(key)?.[1] ?? [])),
        last: /v\d+-\d+-\d+/.exec(JSON.stringify(item['d.last']))?.[0] ?? '',
      });
    }
  }
  client.destroy();
  return leads;
}

type SentEvent = { sessionId: string; payload: { type: string; id: string } };

function compare(
  { entries, unfinished }: World,
  plans: readonly Plan[],
  { requests }: FaultProxy,
  leads: readonly StoredLead[],
): Omit<ChaosResult, 'counted'> {
  const posts = requests.filter(({ method }) => method === 'POST');
  const accepted = posts.filter(({ status }) => status === 200);
  const delivered: SentEvent[] = accepted.flatMap(({ body }) => JSON.parse(body).events ?? []);
  const deliveredIds = new Set(delivered.map(({ payload }) => payload.id));
  const consented = entries.filter((entry) => entry.kind === 'track' && isConsented(entry));
  const lost = consented.filter(({ id }) => !deliveredIds.has(id));
  const tracked = entries.filter(({ kind }) => kind === 'track');
  const allowed = new Set(consented.map(({ id }) => id));

  function isConsented({ visitor, visit, page }: Entry): boolean {
    const plan = plans.find(({ id }) => id === visitor);
    const grant = entries.find((entry) => entry.visitor === visitor && entry.kind === 'grant');
    // A grant applies to all events of its page, including earlier ones, and to all later visits.
    return plan?.isGrantedAtFirst || (grant !== undefined && (page === grant.page || visit > grant.visit));
  }

  /** A page can close between its grant and the report of the grant. */
  function hasUnreportedGrant({ visitor, page }: Entry): boolean {
    const acts = plans.find(({ id }) => id === visitor)?.visits.flatMap(({ tabs }) => tabs)[page - 1];
    const isReported = entries.some((entry) => entry.visitor === visitor && entry.kind === 'grant');
    return !isReported && acts?.some(({ kind }) => kind === 'grant') === true;
  }

  const triedBodies = posts.map(({ body }) => body).filter((body) => body.includes('"last"'));
  const triedIds = new Set(triedBodies.map((body): string => JSON.parse(body).data.last));
  const savedIds = entries.filter(({ kind }) => kind === 'saved').map(({ id }) => id);
  const required = new Set([...triedIds, ...savedIds]);
  const stored = new Set(leads.flatMap(({ submits }) => [...submits]));
  const sessionsWith = (...types: string[]) =>
    new Set(delivered.filter(({ payload }) => types.includes(payload.type)).map(({ sessionId }) => sessionId)).size;
  const leadsPerVisitor = Map.groupBy(leads, ({ visitor }) => visitor);
  return {
    consented: consented.length,
    lostEvents: lost.map(({ id }) => id),
    forbidden: tracked
      .filter((entry) => deliveredIds.has(entry.id) && !allowed.has(entry.id) && !hasUnreportedGrant(entry))
      .map(({ id }) => id),
    submits: required.size,
    missingSubmits: [...required].filter((id) => !stored.has(id)),
    duplicateLeads: [...leadsPerVisitor].filter(([, several]) => several.length > 1).map(([visitor]) => visitor),
    overtaken: leads.filter(({ visitor, last }) => last !== lastTried(visitor)).map(({ visitor }) => visitor),
    unfinished,
    expected: {
      sessions: new Set(delivered.map(({ sessionId }) => sessionId)).size,
      // The service counts a completion also as a start.
      starts: sessionsWith('start', 'complete'),
      completions: sessionsWith('complete'),
    },
  };

  /** The id of the visitor's latest submit, in the order of first attempts. */
  function lastTried(visitor: string): string {
    const ids = new Set(
      triedBodies
        .map((body) => JSON.parse(body).data as { visitor: string; last: string })
        .filter((data) => data.visitor === visitor)
        .map(({ last }) => last),
    );
    return [...ids].at(-1) ?? '';
  }
}
