import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type Browser, devices, type Page } from 'playwright-core';
import { bundlePageClient } from '../../infra/bundles/page-client.ts';
import { PAGE_CLIENT_FOLDER } from '../../infra/bundles/page-client-files.ts';
import { seededRandom } from '../../infra/local/seed/random.ts';
import { launchChromium } from '../support/browser/chromium.ts';
import { figure, median, type Row, row } from './table.ts';

const LOADS = 21;
const CPU_SLOWDOWN = 4;
/** Enough time for scripts to finish their work after the page has loaded, even on the slowed CPU. */
const SETTLE_MS = 1_000;
const MAIN_THREAD_MS_MAX = 5;
const TRACE_CATEGORIES = ['devtools.timeline', 'v8', '__metadata'];
/** Names of trace events for work in which Chromium compiles or runs scripts. */
const SCRIPT_EVENTS = new Set([
  'EvaluateScript',
  'EventDispatch',
  'FireAnimationFrame',
  'FireIdleCallback',
  'FunctionCall',
  'RunMicrotasks',
  'TimerFire',
  'v8.compile',
  'v8.compileModule',
  'v8.evaluateModule',
]);
const VISITS = 40;
const EVENTS_PER_VISIT = 5;
const REFUSED_SHARE = 0.2;
/** How long a returning visitor stays. */
const RETURN_MS = 3_000;
const SEED = 7;

/** A script to compare: its files, the HTML of its page, and functions that track and read events. */
type Contender = {
  name: string;
  files: Record<string, string>;
  html(apiUrl: string): string;
  /** Code that tracks an event with this name. */
  track(event: string): string;
  /** Returns the events in the body of a request, or undefined if the request reports no events. */
  eventsIn(path: string, body: string): string[] | undefined;
  respond: unknown;
};

const packageFile = (url: string) => readFile(fileURLToPath(url), 'utf8');

async function contenders(): Promise<Contender[]> {
  const read = (file: string) => readFile(join(PAGE_CLIENT_FOLDER, file), 'utf8');
  return [
    {
      name: 'page client',
      files: { '/client/funnel.js': await read('funnel.js') },
      html: (apiUrl) =>
        `<script async src="/client/funnel.js" data-funnel="bench" data-api="${apiUrl}" data-consent="granted"></script>`,
      track: (event) => `tributary.track('${event}')`,
      eventsIn: (path, body) =>
        path.includes('/funnel/bench/')
          ? JSON.parse(body).events.map(({ payload }: { payload: { type: string } }) => payload.type)
          : undefined,
      respond: { received: 1 },
    },
    {
      name: '@plausible-analytics/tracker',
      files: { '/plausible.js': await packageFile(import.meta.resolve('@plausible-analytics/tracker')) },
      html: (apiUrl) => `<script type="module">
        import { init, track } from '/plausible.js';
        init({ domain: 'bench.example', endpoint: '${apiUrl}/api/event', captureOnLocalhost: true });
        window.track = track;
      </script>`,
      track: (event) => `track('${event}', {})`,
      eventsIn: (path, body) => (path === '/api/event' ? [JSON.parse(body).n] : undefined),
      respond: 'ok',
    },
    {
      name: 'posthog-js',
      files: { '/posthog.js': await packageFile(import.meta.resolve('posthog-js/dist/module.js')) },
      html: (apiUrl) => `<script type="module">
        import posthog from '/posthog.js';
        // Without this option, posthog-js sends nothing from an automated browser.
        posthog.init('bench', { api_host: '${apiUrl}', opt_out_useragent_filter: true });
        window.posthog = posthog;
      </script>`,
      track: (event) => `posthog.capture('${event}')`,
      eventsIn: (path, body) => {
        if (!path.startsWith('/e/') && !path.startsWith('/i/')) return undefined;
        // The body of a beacon is a form whose field `data` is Base64.
        const beacon = new URLSearchParams(body).get('data');
        const parsed = JSON.parse(body.startsWith('data=') ? `${Buffer.from(`${beacon}`, 'base64')}` : body);
        return (Array.isArray(parsed) ? parsed : (parsed.batch ?? [parsed])).map(
          ({ event }: { event: string }) => event,
        );
      },
      respond: { status: 1 },
    },
  ];
}

/**
 * Additional pages: one with an empty script, which shows the cost of the script element, and one on which the page
 * client also tracks an event.
 */
const ownPages = (all: readonly Contender[]): Contender[] =>
  all.slice(0, 1).flatMap((client) => [
    { ...client, name: 'empty script', files: { '/client/funnel.js': '' } },
    {
      ...client,
      name: 'page client with an event at load',
      html: (apiUrl) => `<script>tributary = [(funnel) => funnel.track('view')];</script>${client.html(apiUrl)}`,
    },
  ]);

type Traffic = { requests: number; bytes: number; arrived: string[] };

/** Serves a contender's page with gzip. Also serves an API on another origin, which refuses some connections. */
async function serve(contender: Contender | undefined, refusedShare: () => number) {
  const traffic: Traffic = { requests: 0, bytes: 0, arrived: [] };
  const random = seededRandom(SEED);
  const api = createServer((request, response) => {
    // Each request needs a connection of its own, which can be refused.
    response.shouldKeepAlive = false;
    void receive(request).then((body) => {
      traffic.requests += 1;
      traffic.bytes += body.length;
      const { origin = '*' } = request.headers;
      const headers = { 'Access-Control-Allow-Origin': origin, 'Access-Control-Allow-Headers': 'content-type' };
      const events = request.method === 'POST' ? contender?.eventsIn(request.url ?? '', textOf(body)) : undefined;
      if (events) traffic.arrived.push(...events);
      response.writeHead(200, { ...headers, 'Access-Control-Allow-Credentials': 'true' });
      response.end(JSON.stringify(events ? contender?.respond : {}));
    });
  });
  api.on('connection', (socket) => {
    if (random() < refusedShare()) socket.resetAndDestroy();
  });
  const apiUrl = await listen(api);
  const site = createServer(({ url = '/' }, response) => {
    const script = contender?.files[url];
    const body = script ?? `<!doctype html><title>Page</title>${url === '/' ? (contender?.html(apiUrl) ?? '') : ''}`;
    const compressed = gzipSync(body, { level: 9 });
    if (script !== undefined) {
      traffic.requests += 1;
      traffic.bytes += compressed.length;
    }
    response.writeHead(200, {
      'Content-Type': script === undefined ? 'text/html' : 'text/javascript',
      'Content-Encoding': 'gzip',
    });
    response.end(compressed);
  });
  const siteUrl = await listen(site);
  return {
    siteUrl,
    traffic,
    close() {
      for (const server of [api, site]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function receive(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const GZIP_MAGIC = 0x1f8b;

const textOf = (body: Buffer): string =>
  `${body.length > 1 && body.readUInt16BE() === GZIP_MAGIC ? gunzipSync(body) : body}`;

/** Opens a page in a new browser context, so that nothing is cached. */
async function openPage(browser: Browser): Promise<Page> {
  const { userAgent, viewport } = devices['Pixel 7'];
  const context = await browser.newContext({ userAgent, viewport });
  return context.newPage();
}

/** An event of Chromium's trace. Times are in microseconds. `tdur` is CPU time of the thread. */
type TraceEvent = {
  name: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  tdur?: number;
  args?: { data?: { url?: string } };
};

/**
 * Milliseconds for which scripts run on the main thread while a page loads on a slow CPU, without the request for the
 * script. This time varies between loads by less than `MAIN_THREAD_MS_MAX`. The whole time of the main thread varies by
 * more.
 */
async function measureScripts(browser: Browser, url: string): Promise<number> {
  const page = await openPage(browser);
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  await browser.startTracing(page, { categories: TRACE_CATEGORIES });
  await page.goto(url, { waitUntil: 'load' });
  await delay(SETTLE_MS);
  const { traceEvents }: { traceEvents: TraceEvent[] } = JSON.parse(`${await browser.stopTracing()}`);
  await page.context().close();
  const start = traceEvents.find(({ name, args }) => name === 'CommitLoad' && args?.data?.url?.startsWith(url));
  if (!start) throw new Error(`The trace of ${url} has no event CommitLoad, so the main thread is unknown.`);
  const events = traceEvents
    .filter(({ name, pid, tid, ts }) => {
      return SCRIPT_EVENTS.has(name) && pid === start.pid && tid === start.tid && ts >= start.ts;
    })
    .toSorted((a, b) => a.ts - b.ts);
  let microseconds = 0;
  let end = 0;
  for (const { ts, dur = 0, tdur = 0 } of events) {
    // Skips nested events. Their time is part of an earlier event.
    if (ts < end) continue;
    microseconds += tdur;
    end = ts + dur;
  }
  return microseconds / 1_000;
}

/** Milliseconds of the main thread, and the number of tasks of more than 50 ms, while a page loads on a slow CPU. */
async function measureLoad(browser: Browser, url: string): Promise<{ ms: number; longTasks: number }> {
  const page = await openPage(browser);
  await page.addInitScript(`window.longTasks = 0;
    new PerformanceObserver((list) => { longTasks += list.getEntries().length; }).observe({ type: 'longtask', buffered: true });`);
  const session = await page.context().newCDPSession(page);
  // CPU time of the thread, which includes the slowdown. Elapsed time would include other processes.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  await page.goto(url, { waitUntil: 'load' });
  await delay(SETTLE_MS);
  const { metrics } = await session.send('Performance.getMetrics');
  const seconds = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  const longTasks = await page.evaluate<number>('longTasks');
  await page.context().close();
  return { ms: seconds * 1_000, longTasks };
}

/**
 * Measures how many events arrive. Visitors track events and leave, while a share of the connections is refused. Later,
 * when all connections work, the visitors return.
 */
async function measureDelivery(browser: Browser, contender: Contender) {
  let share = REFUSED_SHARE;
  const { siteUrl, traffic, close } = await serve(contender, () => share);
  const sent: string[] = [];
  const contexts = [];
  for (let visit = 0; visit < VISITS; visit += 1) {
    const page = await openPage(browser);
    contexts.push(page.context());
    await page.goto(siteUrl, { waitUntil: 'load' });
    await delay(300);
    for (let index = 0; index < EVENTS_PER_VISIT; index += 1) {
      const event = `bench-${visit}-${index}`;
      sent.push(event);
      await page.evaluate(contender.track(event));
      await delay(100);
    }
    await page.goto(`${siteUrl}/elsewhere`);
    await page.close();
  }
  const beforeReturn = new Set(traffic.arrived);
  share = 0;
  await Promise.all(
    contexts.map(async (context) => {
      const page = await context.newPage();
      await page.goto(siteUrl, { waitUntil: 'load' });
      await delay(RETURN_MS);
      await context.close();
    }),
  );
  close();
  const arrived = new Set(traffic.arrived);
  const shareOf = (set: ReadonlySet<string>) => (100 * sent.filter((event) => set.has(event)).length) / sent.length;
  return {
    atOncePercent: shareOf(beforeReturn),
    percent: shareOf(arrived),
    requestsPerVisit: traffic.requests / VISITS / 2,
    kilobytesPerVisit: traffic.bytes / VISITS / 2 / 1_000,
  };
}

/** Compares the page client with other trackers on the same page. */
export async function pageClient(print: (line: string) => void): Promise<Row[]> {
  const scripts = await bundlePageClient();
  const rows = scripts.map(({ id, gzipBytes, gzipBytesMax }) =>
    row(`${id}, gzip`, gzipBytes / 1_000, gzipBytesMax / 1_000, 'KB', 'at most'),
  );
  const all = await contenders();
  for (const { name, files } of all.slice(1)) {
    const bytes = Object.values(files).reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
    rows.push(figure(`${name}, gzip`, bytes / 1_000, 'KB'));
  }
  const browser = await launchChromium();
  try {
    // The page client comes first, directly after the blank page of `compareLoads`. Both pages are compared, so their
    // loads must be close in time.
    rows.push(...(await compareLoads(browser, [...all.slice(0, 1), ...ownPages(all), ...all.slice(1)])));
    for (const contender of all) {
      const { name } = contender;
      const { atOncePercent, percent, requestsPerVisit, kilobytesPerVisit } = await measureDelivery(browser, contender);
      print(
        `${name}: ${atOncePercent.toFixed(1)} % of the events arrive in the visit, ${percent.toFixed(1)} % after a return`,
      );
      const what = `${name}: events delivered with 20 % refused connections, after a return`;
      rows.push(
        name === 'page client' ? row(what, percent, 99, '%', 'at least') : figure(what, percent, '%'),
        figure(`${name}: requests per visit`, requestsPerVisit, ''),
        figure(`${name}: traffic per visit`, kilobytesPerVisit, 'KB'),
      );
    }
  } finally {
    await browser.close();
  }
  return rows;
}

async function compareLoads(browser: Browser, all: readonly Contender[]): Promise<Row[]> {
  const pages = await Promise.all([undefined, ...all].map((contender) => serve(contender, () => 0)));
  const loads = pages.map((): { ms: number; longTasks: number; scriptMs: number }[] => []);
  for (let load = 0; load < LOADS; load += 1) {
    // The pages alternate, in changing order, so that a slow phase of the machine affects all of them.
    const order = load % 2 === 0 ? [...pages.entries()] : [...pages.entries()].toReversed();
    for (const [at, { siteUrl }] of order) {
      // Loads the page twice, because the trace of the first load itself uses time of the main thread.
      const scriptMs = await measureScripts(browser, siteUrl);
      loads[at]?.push({ ...(await measureLoad(browser, siteUrl)), scriptMs });
    }
  }
  for (const { close } of pages) close();
  /** Compares loads of the same round, because the speed of the machine changes from round to round. */
  const aboveBlank = (at: number, what: 'ms' | 'scriptMs') =>
    median((loads[at] ?? []).map((load, round) => load[what] - (loads[0]?.[round]?.[what] ?? Number.NaN)));
  return all.flatMap(({ name }, index) => {
    const at = 1 + index;
    const slow = `at load on a CPU slowed down ${CPU_SLOWDOWN} times, above a blank page`;
    const scripts = [`${name}: scripts on the main thread ${slow}`, aboveBlank(at, 'scriptMs')] as const;
    const whole = [`${name}: main thread, with the request, ${slow}`, aboveBlank(at, 'ms')] as const;
    const longTasks = loads[at]?.reduce((sum, load) => sum + load.longTasks, 0) ?? 0;
    const tasks = [`${name}: long tasks in ${LOADS} loads`, longTasks] as const;
    return name === 'page client'
      ? [
          row(...whole, MAIN_THREAD_MS_MAX, 'ms', 'at most'),
          row(...scripts, MAIN_THREAD_MS_MAX, 'ms', 'at most'),
          row(...tasks, 0, '', 'at most'),
        ]
      : [figure(...whole, 'ms'), figure(...scripts, 'ms'), figure(...tasks, '')];
  });
}
