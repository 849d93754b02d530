import { aggregateEventsFunction } from '../../../functions/background/aggregate-events/function.ts';
import { MINOR_COMPACTION_CONCURRENCY } from '../../../shared/analytics/compaction/minor-compaction.ts';
import {
  FACT_BYTES,
  FRESH_FACT_BYTES,
  FRESH_ITEM_BYTES,
  LISTED_FILE_BYTES,
  MAJOR_MS,
  MAJOR_MS_PER_SESSION,
  MINOR_CPU_MS,
  MINOR_MS,
  PEAK,
  RAW_EVENT_BYTES,
} from './assumptions.ts';
import { QUOTAS } from './list-prices.ts';
import { DAYS, KB, SECONDS } from './usage.ts';
import type { Volumes } from './volumes.ts';

/**
 * compact-facts runs every minute, and compacts a funnel if its oldest fresh fact is at least a minute old. This is the
 * case at every second run. The model ignores that a funnel with 5,000 fresh facts is compacted at the next run.
 */
const MINOR_EVERY_SECONDS = 120;
/**
 * compact-base compacts a funnel with more level 1 files than this number, and each funnel with level 1 files once a
 * day. The model ignores a third reason: too many facts in level 1 files.
 */
const MINORS_A_MAJOR = 64;
/** Shards of a new on-demand stream. The stream scales to twice its previous peak. */
const SHARDS_MIN = 4;

/** Volumes of the event pipeline in a month. */
export type PipelineVolumes = {
  /** Records on the stream, one per request. */
  records: number;
  recordBytes: number;
  shards: number;
  /** Executions of aggregate-events. */
  batches: number;
  /** Fresh items that aggregate-events writes. */
  items: number;
  itemBytes: number;
  /** Minor compactions, each of one funnel. */
  minors: number;
  /** Milliseconds by which one minor compaction prolongs a run. */
  minorMs: number;
  /** Major compactions, each of one funnel. */
  majors: number;
  /** Sessions that one major compaction reads and writes. */
  baseSessions: number;
  majorMs: number;
  manifestBytes: number;
  /**
   * Duration of all minor compactions. If it exceeds the month, the capacity is too small, because runs do not overlap.
   */
  minorSeconds: number;
  /** Duration of all major compactions. Their runs do not overlap either. */
  majorSeconds: number;
  rawBytes: number;
};

export function pipelineVolumes(of: Volumes): PipelineVolumes {
  const records = of.events / of.eventsPerRequest;
  const recordBytes = of.eventBytes * of.eventsPerRequest;
  const peakBytes = (PEAK * records * recordBytes) / SECONDS;
  const shards = Math.max(SHARDS_MIN, Math.ceil((2 * peakBytes) / QUOTAS.shardBytesPerSecond.value));
  const batches = batchesOf(records, shards);
  const items = batches * distinct(of.funnels, records / (batches || 1));
  const minors = Math.min(records, (of.funnels * SECONDS) / MINOR_EVERY_SECONDS);
  const majors = minors / MINORS_A_MAJOR + Math.min(minors, of.funnels * DAYS);
  const minorMs = Math.max(MINOR_CPU_MS, MINOR_MS / MINOR_COMPACTION_CONCURRENCY);
  const baseSessions = (of.sessions / of.funnels) * of.months;
  const majorMs = MAJOR_MS + MAJOR_MS_PER_SESSION * baseSessions;
  return {
    records,
    recordBytes,
    shards,
    batches,
    items,
    minors,
    minorMs,
    majors,
    baseSessions,
    majorMs,
    itemBytes: FRESH_ITEM_BYTES + FRESH_FACT_BYTES * (records / (items || 1)),
    manifestBytes: LISTED_FILE_BYTES * (1 + Math.min(MINORS_A_MAJOR, minors / (majors || 1)) / 2),
    minorSeconds: (minors * minorMs) / 1_000,
    majorSeconds: (majors * majorMs) / 1_000,
    rawBytes: of.events * RAW_EVENT_BYTES,
  };
}

/**
 * Returns the executions of aggregate-events. For each parallel batch of a shard, Lambda polls the shard once a second.
 * Each poll that returns records causes an execution.
 */
function batchesOf(records: number, shards: number): number {
  const { trigger } = aggregateEventsFunction;
  if (!('stream' in trigger)) throw new Error('The function background/aggregate-events is declared without a stream.');
  const pollsMax = shards * SECONDS * trigger.parallelBatchesPerShard;
  return Math.max(records / trigger.batchRecords, Math.min(records, pollsMax));
}

/** Calculates the expected number of distinct funnels in `records` records, if all funnels have the same traffic. */
const distinct = (funnels: number, records: number): number =>
  funnels <= 1 ? Math.min(1, records) : funnels * -Math.expm1(records * Math.log1p(-1 / funnels));

export const baseBytes = ({ baseSessions }: PipelineVolumes): number => baseSessions * FACT_BYTES;
export const unitsOf = (bytes: number, unitBytes: number): number => Math.max(1, Math.ceil(bytes / unitBytes));
export const writesOf = (bytes: number): number => unitsOf(bytes, KB);
export const readsOf = (bytes: number): number => unitsOf(bytes, 4 * KB);
