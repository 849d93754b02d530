import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { runMinorCompactions } from '../../shared/analytics/compaction/minor-compaction.ts';
import { createDuckDbFactWriter } from '../../shared/analytics/facts/duckdb/duckdb-fact-writer.ts';
import { decodeFacts, encodeFacts } from '../../shared/analytics/facts/fact-codec.ts';
import type { FreshFactRepository } from '../../shared/analytics/facts/ports.ts';
import { classifyClient } from '../../shared/analytics/ingest/client-class.ts';
import { consumeRecords } from '../../shared/analytics/ingest/consume-records.ts';
import { ingestEvents } from '../../shared/analytics/ingest/ingest-events.ts';
import type { ReceivedRecord } from '../../shared/analytics/ingest/stream-records.ts';
import { Funnel } from '../../shared/funnels/funnel.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { createMemoryFreshFacts } from '../support/analytics/analytics.ts';
import { aRecord, PHONE } from '../support/analytics/events.ts';
import { createMemoryManifests } from '../support/analytics/memory-manifests.ts';
import { FUNNEL, folderObjects, makeFunnel, saveFunnel } from './analytics-reads-data.ts';
import { openLoop } from './load.ts';
import { anEvent, type Demo, freshness, ingestCall } from './scenarios.ts';
import { type Row, row } from './table.ts';

const MB = 1_000_000;
const RUNS = 3;

export async function analyticsWrites(log: (line: string) => void): Promise<Row[]> {
  const root = await mkdtemp(join(tmpdir(), 'tributary-bench-writes-'));
  try {
    const major = await majorCompaction(join(root, 'major'));
    log(`major compaction of 200 000 sessions onto 5 million: ${major.seconds.toFixed(1)} s`);
    return [
      row('aggregation on one core', await aggregation(), 20_000, 'events/s', 'at least'),
      row('minor compaction of 100 000 fresh facts', await minorCompaction(join(root, 'minor')), 1, 's', 'at most'),
      row('major compaction onto 5M sessions: resident', major.residentBytes / MB, 700, 'MB', 'at most'),
      row('major compaction onto 5M sessions: sessions lost', SESSIONS_AFTER - major.sessions, 0, '', 'at most'),
      row('major compaction onto 5M sessions: bytes per session', major.bytes / major.sessions, 20, 'bytes', 'at most'),
    ];
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

const Major = z.object({ seconds: z.number(), residentBytes: z.number(), sessions: z.number(), bytes: z.number() });

/**
 * Number of sessions in the base after the major compaction. The compaction omits 40 000 of the 5 200 000 generated
 * sessions, because they have only fresh facts.
 */
const SESSIONS_AFTER = 5_160_000;

async function majorCompaction(folder: string): Promise<z.infer<typeof Major>> {
  const saved = await saveFunnel(await makeFunnel(folder, { sessions: 5_200_000, dirty: 400_000 }));
  const script = fileURLToPath(new URL('analytics-major.ts', import.meta.url));
  const { stdout } = await promisify(execFile)('node', [script, saved]);
  return Major.parse(JSON.parse(stdout));
}

/** Measures the seconds from reading fresh items to the stored file. Returns the best of three runs. */
async function minorCompaction(folder: string): Promise<number> {
  const { fresh } = await makeFunnel(folder, { sessions: 200_000, dirty: 200_000 });
  const writer = createDuckDbFactWriter(folderObjects(folder), { folder: join(folder, 'minor') });
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run++) {
    const readBatch = async () => ({
      items: fresh.map(({ ref, bytes }) => ({ ref, facts: decodeFacts(Buffer.from(bytes, 'base64')) })),
      isLast: true,
    });
    const listPendingFunnels = async () => [{ funnelId: FUNNEL, oldestMs: 0, factCount: 100_000 }];
    const ports = {
      fresh: { ...createMemoryFreshFacts(), readBatch, listPendingFunnels } satisfies FreshFactRepository,
      manifests: createMemoryManifests(),
      writer,
    };
    const start = performance.now();
    const [done] = await runMinorCompactions({ ...ports, clock: systemClock });
    if (done?.outcome !== 'compacted') throw new Error('The funnel was not compacted.', { cause: done });
    best = Math.min(best, (performance.now() - start) / 1_000);
  }
  return best;
}

const BATCH_EVENTS = 50;
const BATCH_RECORDS = 100;
const BATCHES = 20;

/** Measures events per second of CPU time, from the records of the stream to the encoded items. */
async function aggregation(): Promise<number> {
  const records = await someRecords();
  const fresh = {
    add: async (_funnelId: string, _source: unknown, facts: Parameters<typeof encodeFacts>[0]) =>
      void encodeFacts(facts),
  };
  const deadLetters = { put: () => Promise.reject(new Error('A record became a dead letter.')) };
  let before = process.cpuUsage();
  for (let batch = 0; batch < BATCHES; batch++) {
    // The first batches warm up the JIT compiler.
    if (batch === BATCHES / 4) before = process.cpuUsage();
    const outcomes = await consumeRecords({ fresh, deadLetters }, records);
    if (outcomes.some(({ outcome }) => outcome !== 'applied')) throw new Error('A record was not applied.');
  }
  const { user, system } = process.cpuUsage(before);
  return ((BATCHES * 0.75 * BATCH_RECORDS * BATCH_EVENTS) / (user + system)) * 1_000_000;
}

async function someRecords(): Promise<ReceivedRecord[]> {
  const funnel = Funnel.parse({ id: randomUUID(), orgId: randomUUID(), publishedVersionId: randomUUID() });
  const records: ReceivedRecord[] = [];
  const stream = { append: async (data: Uint8Array) => void records.push(aRecord(data, records.length + 1)) };
  const client = classifyClient({ 'user-agent': PHONE });
  for (let batch = 0; batch < BATCH_RECORDS; batch++) {
    const events = Array.from({ length: BATCH_EVENTS }, (_, index) => anEvent('step_view', index % 3));
    await ingestEvents({ stream, clock: systemClock }, { funnel, client }, events);
  }
  return records;
}

const LOAD = { batchEvents: 20, batchesPerSecond: 100, seconds: 30 };

/** Measures the time from an event's acknowledgement until the overview counts it, at 2 000 events per second. */
export async function freshnessUnderLoad(demo: Demo): Promise<Row[]> {
  const load = openLoop(() => ingestCall(demo, LOAD.batchEvents), LOAD.batchesPerSecond, LOAD.seconds);
  const { p95 } = await freshness(demo);
  const { failed } = await load;
  return [
    row('event acknowledged to readable while 2 000/s come in, p95', p95, 2_000, 'ms', 'at most'),
    row('2 000 events/s: failed requests', failed, 0, '', 'at most'),
  ];
}
