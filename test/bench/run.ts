import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { readReport } from '../../infra/bundles/bundle-report.ts';
import { measureBundle } from '../../infra/bundles/bundle-sizes.ts';
import { type LocalRuntime, startLocalRuntime } from '../support/local/runtime.ts';
import { startTextModelServer } from '../support/text-model-server.ts';
import { firstBytes } from './ai-stream.ts';
import { analyticsReads } from './analytics-reads.ts';
import { analyticsWrites, freshnessUnderLoad } from './analytics-writes.ts';
import { callAnalysis } from './call-analysis.ts';
import { clientOutages } from './client-outages.ts';
import { deliveries } from './deliveries.ts';
import { devLoop } from './dev-loop.ts';
import { endpointStack } from './endpoint-stack.ts';
import { inits, synthesis } from './init.ts';
import { leadExport } from './lead-export.ts';
import { residentBytes } from './memory.ts';
import { pageClient } from './page-client.ts';
import { pageCopies } from './page-copies.ts';
import { freshness, ingestBatches, ingestSingles, overviews, submits } from './scenarios.ts';
import { type Row, row, table } from './table.ts';
import { scanRate, uploadPeakBytes, uploadsAboveBare } from './uploads.ts';
import { verifications } from './verification.ts';
import { webhookKills } from './webhook-kills.ts';
import { webhooks } from './webhooks.ts';

// Measures the product on this machine and compares the figures with budgets. The rates of submit and ingest are
// divided by the rates of bare requests to the stand-ins in the same run.

const rows: Row[] = [];
const note = (...added: Row[]) => {
  rows.push(...added);
  console.log(table(added));
};

const MB = 1024 * 1024;
const SETTLE_MS = 3_000;
let model: Awaited<ReturnType<typeof startTextModelServer>>;

async function started(state: string): Promise<{ runtime: LocalRuntime; seconds: number }> {
  const start = performance.now();
  const runtime = await startLocalRuntime({ state, env: { LOCAL_RATE_LIMITS: 'off', AI_BASE_URL: model.baseUrl } });
  return { runtime, seconds: (performance.now() - start) / 1_000 };
}

const noFailures = (what: string, ...loads: readonly { failed: number }[]): Row =>
  row(
    `${what}: failed requests`,
    loads.reduce((sum, { failed }) => sum + failed, 0),
    0,
    '',
    'at most',
  );

async function measureReads(demo: LocalRuntime['demo']): Promise<void> {
  const quiet = await overviews(demo, 'nothing');
  const busy = await overviews(demo, 'an event');
  console.log(`overview: p99 ${quiet.p99.toFixed(1)} ms; with an event before each request ${busy.p99.toFixed(1)} ms`);
  note(
    row('overview of the seeded funnel, p50', quiet.p50, 50, 'ms', 'at most'),
    row('overview with an event before each request, p50', busy.p50, 50, 'ms', 'at most'),
    noFailures('overview', quiet, busy),
  );
}

async function measureFreshness(demo: LocalRuntime['demo']): Promise<void> {
  const { p95 } = await freshness(demo);
  note(row('event acknowledged to readable, p95', p95, 2_000, 'ms', 'at most'), ...(await freshnessUnderLoad(demo)));
}

async function measureSubmits(demo: LocalRuntime['demo']): Promise<void> {
  const { bare, ours, paced } = await submits(demo);
  console.log(`submit: ${ours.perSecond.toFixed(0)}/s; bare UpdateItem: ${bare.perSecond.toFixed(0)}/s`);
  note(
    row('submit: share of the rate of bare UpdateItem', ours.perSecond / bare.perSecond, 0.4, '', 'at least'),
    row('submit: p99 at 100/s', paced.p99, 30, 'ms', 'at most'),
    noFailures('submit', bare, ours, paced),
  );
}

async function measureIngest(demo: LocalRuntime['demo']): Promise<void> {
  const singles = await ingestSingles(demo);
  await sleep(SETTLE_MS);
  const { bare, ours, eventsPerSecond, recordBytes } = await ingestBatches(demo);
  console.log(
    `ingest: ${ours.perSecond.toFixed(0)} batches/s, records of ${recordBytes} bytes; ` +
      `bare PutRecord: ${bare.perSecond.toFixed(0)}/s`,
  );
  note(
    row('ingest: events/s in batches of 50', eventsPerSecond, 10_000, '', 'at least'),
    row('ingest: share of the rate of bare PutRecord', ours.perSecond / bare.perSecond, 0.35, '', 'at least'),
    row('ingest: single events at 200/s, p99', singles.p99, 50, 'ms', 'at most'),
    noFailures('ingest', singles, bare, ours),
  );
}

async function measureAiStream(demo: LocalRuntime['demo']): Promise<void> {
  const { p50, p95 } = await firstBytes(demo, model);
  console.log(`ai-stream: first byte after the model's first token, p50 ${p50.toFixed(1)} ms`);
  note(row("ai-stream: first byte after the model's first token, p95", p95, 20, 'ms', 'at most'));
}

async function measureVerification(demo: LocalRuntime['demo']): Promise<void> {
  const { sendP50, checkP50, failed } = await verifications(demo);
  note(
    row('mfa/send: time of the request, p50', sendP50, 50, 'ms', 'at most'),
    row('mfa/check with the right code: time of the request without its delay, p50', checkP50, 50, 'ms', 'at most'),
    noFailures('mfa/send and mfa/check', { failed }),
  );
}

async function measureUploads(demo: LocalRuntime['demo']): Promise<void> {
  const { bare, ours, p50, p95 } = await uploadsAboveBare(demo);
  console.log(`upload of 4 MB: p50 ${ours.p50.toFixed(1)} ms; bare PutObject: ${bare.p50.toFixed(1)} ms`);
  note(
    row('upload of 4 MB: time above bare PutObject, p50', p50, 150, 'ms', 'at most'),
    row('upload of 4 MB: time above bare PutObject, p95', p95, 150, 'ms', 'at most'),
    row('upload of 4 MB: peak memory of the function', (await uploadPeakBytes(demo)) / MB, 16, 'MB', 'at most'),
    row('scan of a form with a file of 4 MB', scanRate(), 200, 'MB/s', 'at least'),
  );
}

/** Measures voice webhooks in a separate runtime, which has no sessions to compact and no remaining load. */
async function measureWebhooks(): Promise<void> {
  const runtime = await startLocalRuntime({ args: ['--empty'], env: { LOCAL_RATE_LIMITS: 'off' } });
  const { answer, score, failed, bytes } = await webhooks(runtime.demo);
  await runtime.stop();
  console.log(
    `voice webhook of ${bytes} bytes: p50 ${answer.p50.toFixed(1)} ms; scored ${score.p50.toFixed(0)} ms later, p50`,
  );
  note(
    row('voice webhook with a 2-hour transcript (1 MB), p99', answer.p99, 50, 'ms', 'at most'),
    noFailures('voice webhook and score', { failed }),
  );
}

async function measurePageCopies(runtime: LocalRuntime): Promise<void> {
  const { p50, worst, failed } = await pageCopies(runtime);
  console.log(`copy of a page with 200 assets: p50 ${p50.toFixed(0)} ms`);
  note(
    row('copy of a page with 200 assets, maximum', worst, 5_000, 'ms', 'at most'),
    noFailures('copy of a page', { failed }),
  );
}

async function measureBundles(): Promise<void> {
  const { operations, backgroundFunctions } = await import('../../functions/declarations.ts');
  for (const { id } of [...operations, ...backgroundFunctions]) {
    const { bytes, bytesMax } = measureBundle(id, readReport(join('dist', id)));
    note(row(`bundle ${id}`, bytes / 1_000, bytesMax / 1_000, 'KB', 'at most'));
  }
}

/** Measures the product as `npm start` runs it, with demo data, at rest and under load. */
async function measureProduct(): Promise<void> {
  model = await startTextModelServer();
  const state = await mkdtemp(join(tmpdir(), 'tributary-bench-'));
  const first = await started(state);
  note(row('ready on first start', first.seconds, 30, 's', 'at most'));
  const { demo, pid } = first.runtime;
  await measurePageCopies(first.runtime);
  await measureReads(demo);
  await measureFreshness(demo);
  await measureSubmits(demo);
  await measureIngest(demo);
  await measureAiStream(demo);
  await measureVerification(demo);
  await measureUploads(demo);
  note(row('resident memory of npm start after the load', (await residentBytes(pid)) / MB, 1_536, 'MB', 'at most'));
  await first.runtime.stop();
  const again = await started(state);
  note(row('ready on a later start', again.seconds, 10, 's', 'at most'));
  await again.runtime.stop();
  await rm(state, { recursive: true, force: true });
  model.close();
}

async function measureStack(): Promise<void> {
  const stack = await endpointStack();
  note(row('endpoint stack without I/O, p50', stack.p50, 0.3, 'ms', 'at most'));
}

/** The independent sections, in the order in which they run. */
const sections: Record<string, { about: string; measure: () => Promise<void> }> = {
  stack: { about: 'the middleware of an organization route, without I/O', measure: measureStack },
  product: {
    about: 'npm start with demo data: start, analytics reads, other requests, memory',
    measure: measureProduct,
  },
  webhooks: { about: 'voice webhooks with transcripts of two hours', measure: measureWebhooks },
  reads: {
    about: 'analytics reads, compared with SQL over all events',
    measure: () => analyticsReads(note, console.log),
  },
  writes: {
    about: 'aggregation and compaction of analytics facts',
    measure: async () => note(...(await analyticsWrites(console.log))),
  },
  analysis: {
    about: 'the analysis of a training call of two hours',
    measure: async () => note(...(await callAnalysis(console.log))),
  },
  export: { about: 'an export of 100,000 leads', measure: async () => note(...(await leadExport())) },
  bundles: { about: 'the size of the bundle of each function', measure: measureBundles },
  init: {
    about: 'the init phase of each function, compared with an empty handler',
    measure: async () => note(...(await inits(console.log))),
  },
  synth: { about: 'cdk synth with existing bundles', measure: async () => note(synthesis()) },
  dev: { about: '200 edits while npm run dev runs', measure: async () => note(...(await devLoop(console.log))) },
  client: {
    about: 'the page client, compared with Plausible and PostHog',
    measure: async () => note(...(await pageClient(console.log))),
  },
  'client-outages': {
    about: '1,000 visitors whose connections and tabs fail',
    measure: async () => note(...(await clientOutages(console.log))),
  },
  deliveries: {
    about: 'webhook messages, also while endpoints hang',
    measure: async () => note(...(await deliveries())),
  },
  'webhook-kills': {
    about: 'webhook messages while the service is killed repeatedly',
    measure: async () => note(...(await webhookKills(console.log))),
  },
};

const HELP = `Usage: npm run bench -- [section] ...

Measures speed, memory and sizes on this machine, and compares the figures with
limits. The exit code is 1 if a figure is beyond its limit, and 2 for an unknown
section. Without arguments, measures all sections:

${Object.entries(sections)
  .map(([name, { about }]) => `  ${name.padEnd(16)}${about}`)
  .join('\n')}`;

const wanted = process.argv.slice(2);
if (wanted.includes('--help') || wanted.includes('-h')) {
  console.log(HELP);
  process.exit(0);
}
const unknown = wanted.find((name) => !(name in sections));
if (unknown !== undefined) {
  console.error(`There is no section ${unknown}. The sections are: ${Object.keys(sections).join(', ')}. See --help.`);
  process.exit(2);
}
for (const [name, { measure }] of Object.entries(sections))
  if (wanted.length === 0 || wanted.includes(name)) await measure();

console.log(`\n${table(rows)}`);
process.exitCode = rows.every(({ met }) => met) ? 0 : 1;
