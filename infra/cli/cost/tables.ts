import type { StageKind } from '../../settings/stage-name.ts';
import { FRESH_FACT_BYTES, FRESH_ITEM_BYTES } from './assumptions.ts';
import { CALL_PROFILES, IDLE_RUNS, PIPELINE, type TableCall } from './call-profiles.ts';
import { gigabyteSeconds, monthlyCalls, scheduledRuns } from './executions.ts';
import { type PipelineVolumes, readsOf, unitsOf, writesOf } from './pipeline-volumes.ts';
import { type CostCategory, GB, KB, type Usage } from './usage.ts';
import type { Volumes } from './volumes.ts';

type Units = { reads: number; writes: number };
const NONE: Units = { reads: 0, writes: 0 };

/** Returns the request units and the storage of the tables. */
export function tables(of: Volumes, pipeline: PipelineVolumes, stage: StageKind): Usage[] {
  return [
    ...occurrenceUnits(of, pipeline),
    ...idleUnits(),
    ...pipelineUnits(of, pipeline),
    ...stored(of, pipeline, stage),
  ];
}

export const requestUnits = (count: number, { reads, writes }: Units, category: CostCategory): Usage[] => [
  { price: 'tableRead', quantity: count * reads, category },
  { price: 'tableWrite', quantity: count * writes, category },
];

export const unitsOfCalls = (calls: readonly TableCall[]): Units =>
  calls.reduce(
    (sum, { reads = 0, writes = 0, indexWrites = 0 }) => ({
      reads: sum.reads + reads,
      writes: sum.writes + writes + indexWrites,
    }),
    NONE,
  );

/**
 * Returns the request units of the call profiles. A profile contains the units for small items. If items are larger,
 * adds the further units.
 */
function occurrenceUnits(of: Volumes, pipeline: PipelineVolumes): Usage[] {
  return monthlyCalls(of).flatMap(({ name, count, category }) => {
    const declared = unitsOfCalls(CALL_PROFILES[name].tables);
    const { reads, writes } = moreUnits(of, pipeline)[name] ?? NONE;
    // Caches of functions expire after 30 seconds. Refilling them takes at most half a read unit per request.
    return requestUnits(count, { reads: declared.reads + reads + 0.5, writes: declared.writes + writes }, category);
  });
}

function moreUnits(of: Volumes, pipeline: PipelineVolumes): Partial<Record<keyof typeof CALL_PROFILES, Units>> {
  const leadReads = readsOf(of.leadKb * KB) - 1;
  const leadWrites = Math.ceil(of.leadKb) - 1;
  const lead = { reads: leadReads, writes: leadWrites };
  const transcript = { reads: readsOf(of.transcriptKb * KB), writes: writesOf(of.transcriptKb * KB) };
  const read = { reads: readsOf(freshBytes(of, pipeline)) - 1 + readsOf(pipeline.manifestBytes) - 1, writes: 0 };
  return {
    leadCreated: { reads: 0, writes: leadWrites },
    leadUpdated: { reads: 0, writes: leadWrites },
    mailCodeSent: lead,
    smsCodeSent: lead,
    codeChecked: lead,
    overviewRead: read,
    timeseriesRead: read,
    acquisitionRead: read,
    callReported: { reads: 0, writes: transcript.writes },
    callAnalysed: transcript,
    callRead: { reads: transcript.reads, writes: 0 },
  };
}

/** Returns the bytes of fresh facts that an analytics read loads. One minor compaction processes as many bytes. */
function freshBytes(of: Volumes, { records, items, minors }: PipelineVolumes): number {
  const compactions = Math.max(1, minors);
  const bytes = items * FRESH_ITEM_BYTES + records * FRESH_FACT_BYTES;
  return of.funnels === 0 ? 0 : bytes / compactions;
}

const idleUnits = (): Usage[] =>
  Object.entries(IDLE_RUNS).flatMap(([id, { tables: calls }]) =>
    requestUnits(scheduledRuns(id), unitsOfCalls(calls), 'fixed'),
  );

/** Returns the usage of aggregation and compactions, with the units for larger items and manifests. */
function pipelineUnits(of: Volumes, pipeline: PipelineVolumes): Usage[] {
  const { items, itemBytes, minors, minorMs, majors, manifestBytes, majorMs } = pipeline;
  const { funnelAggregated, funnelCompacted, baseRewritten, manifestRead, funnelSwept } = PIPELINE;
  const looks = [manifestRead, funnelSwept].reduce((sum, { function: id }) => sum + of.funnels * scheduledRuns(id), 0);
  const larger = writesOf(itemBytes) - 1;
  const manifest = { reads: 2 * (readsOf(manifestBytes) - 1), writes: writesOf(manifestBytes) - 1 };
  const work = (id: string, count: number, milliseconds: number): Usage => ({
    price: 'lambdaGigabyteSecond',
    category: 'numbers',
    quantity: gigabyteSeconds(id, count, milliseconds),
  });
  return [
    ...requestUnits(items, unitsOfCalls(funnelAggregated.tables), 'numbers'),
    ...requestUnits(items, { reads: itemBytes / (4 * KB), writes: 2 * larger }, 'numbers'),
    // The profile `funnelCompacted` includes the deletion of one item. The deletion of each further item takes two
    // write units: one for the item, and one for its index entry.
    ...requestUnits(Math.max(0, items - minors), { reads: 0, writes: 2 }, 'numbers'),
    ...requestUnits(minors, unitsOfCalls(funnelCompacted.tables), 'numbers'),
    ...requestUnits(majors, unitsOfCalls(baseRewritten.tables), 'numbers'),
    ...requestUnits(minors + majors, manifest, 'numbers'),
    ...requestUnits(looks, { reads: readsOf(manifestBytes), writes: 0 }, 'numbers'),
    work(funnelCompacted.function, minors, minorMs),
    work(baseRewritten.function, majors, majorMs),
  ];
}

const LEAD_INDEX_BYTES = 300;
const RECORD_BYTES = 1_000;

function stored(of: Volumes, { manifestBytes }: PipelineVolumes, stage: StageKind): Usage[] {
  const leads = of.leads * of.months * (of.leadKb * KB + LEAD_INDEX_BYTES);
  const calls = of.calls * of.months * (of.transcriptKb * KB + 2 * RECORD_BYTES);
  const uploads = of.uploads * of.months * RECORD_BYTES;
  const directory = (of.organizations + of.members + of.domains + 40 * of.pageCopies * of.months) * RECORD_BYTES;
  const kept: [CostCategory, number][] = [
    ['leads', leads + uploads],
    ['training', calls],
    ['pages', directory],
    ['numbers', of.funnels * manifestBytes],
  ];
  return kept.flatMap(([category, bytes]): Usage[] => {
    const usage = { quantity: bytes / GB, category };
    const now: Usage = { price: 'tableGigabyteMonth', ...usage };
    return stage === 'prod' ? [now, { price: 'tableBackupGigabyteMonth', ...usage }] : [now];
  });
}

/** Rounds the bytes of a record up to a multiple of its billing unit. */
export const rounded = (bytes: number, unitBytes: number): number => unitsOf(bytes, unitBytes) * unitBytes;
