import type { StageKind } from '../../settings/stage-name.ts';
import { PEAK } from './assumptions.ts';
import { CALL_PROFILES, type CallProfile } from './call-profiles.ts';
import { monthlyCalls, scheduledRuns } from './executions.ts';
import { FIXED_RESOURCES } from './fixed-costs.ts';
import { dollarsFor, PRICES, type PriceName, QUOTAS } from './list-prices.ts';
import { baseBytes, type PipelineVolumes } from './pipeline-volumes.ts';
import { rounded } from './tables.ts';
import { type CostCategory, DAYS, GB, HOURS, KB, SECONDS, type Usage } from './usage.ts';
import type { Volumes } from './volumes.ts';

const STREAM_DAYS = 7;
/** Consumers of the stream: aggregate-events and Firehose. */
const CONSUMERS = 2;
const DELIVERY = { bytes: 128 * 1_024 * 1_024, seconds: 300 };
/** Time for which the facts bucket keeps replaced files (data-stack.ts). */
const OLD_FILES_DAYS = 35;
const FILE_SESSIONS = 500_000;
/**
 * Files that an analytics read downloads, on average. A warm function downloads only new files. A cold function
 * downloads all files.
 */
const FILES_A_READ = 4;
const LEVEL1_FILES_A_MAJOR = 64;
/** Age in months at which Intelligent-Tiering changes a file's tier. The model assumes no reads after one month. */
const INFREQUENT_AFTER = 2;
const ARCHIVE_AFTER = 4;
/** Intelligent-Tiering neither moves nor monitors objects that are smaller than this. */
const MONITORED_BYTES_MIN = 128 * KB;
const QUERY_BYTES_MIN = 10_000_000;
const QUERY_DAYS = 7;

/**
 * Returns the usage of the stream (with the Lambda requests of aggregate-events), of Firehose, of Athena, and of S3
 * (with the transfer of recordings).
 */
export const storage = (of: Volumes, pipeline: PipelineVolumes, stage: StageKind): Usage[] => [
  ...streamed(pipeline, stage),
  ...delivered(of, pipeline),
  ...objectRequests(of, pipeline),
  ...kept(of, pipeline),
];

/**
 * Returns the usage of the stream, without its hours, which are fixed costs. A stream with shards has no usage of
 * storage, because the price of a shard includes the storage of one day.
 */
function streamed({ records, recordBytes, batches }: PipelineVolumes, stage: StageKind): Usage[] {
  const gigabytes = (records * recordBytes) / GB;
  const requests: Usage = { price: 'lambdaRequest', quantity: batches, category: 'numbers' };
  if (FIXED_RESOURCES[stage].shards > 0)
    return [{ price: 'shardPut', quantity: shardPuts({ records, recordBytes }), category: 'numbers' }, requests];
  return [
    { price: 'streamGigabyteIn', quantity: (records * rounded(recordBytes, KB)) / GB, category: 'numbers' },
    { price: 'streamGigabyteOut', quantity: CONSUMERS * gigabytes, category: 'numbers' },
    { price: 'streamGigabyteMonth', quantity: (gigabytes * (STREAM_DAYS - 1)) / DAYS, category: 'numbers' },
    requests,
  ];
}

const shardPuts = ({ records, recordBytes }: Pick<PipelineVolumes, 'records' | 'recordBytes'>): number =>
  records * Math.ceil(recordBytes / (25 * KB));

/** Calculates the cost of a stream with enough provisioned shards (setting `eventShards`) for the busiest second. */
export function provisioned({ records, recordBytes }: PipelineVolumes): { shards: number; dollars: number } {
  const bytes = (PEAK * records * recordBytes) / SECONDS / QUOTAS.shardBytesPerSecond.value;
  const shards = Math.max(
    1,
    Math.ceil(Math.max(bytes, (PEAK * records) / SECONDS / QUOTAS.shardRecordsPerSecond.value)),
  );
  const hours = shards * HOURS;
  const puts = shardPuts({ records, recordBytes });
  const { shardHour, shardKeptHour, shardPut } = PRICES;
  return {
    shards,
    dollars: dollarsFor(shardHour, hours) + dollarsFor(shardKeptHour, hours) + dollarsFor(shardPut, puts),
  };
}

function delivered(of: Volumes, { records, recordBytes, rawBytes }: PipelineVolumes): Usage[] {
  const gigabytes = (records * rounded(recordBytes, 5 * KB)) / GB;
  const files = Math.max(rawBytes / DELIVERY.bytes, Math.min(records, (HOURS * 3_600) / DELIVERY.seconds));
  const scanned = Math.max(QUERY_BYTES_MIN, (rawBytes * QUERY_DAYS) / DAYS);
  return [
    { price: 'deliveredGigabyte', quantity: gigabytes, category: 'numbers' },
    { price: 'convertedGigabyte', quantity: gigabytes, category: 'numbers' },
    { price: 'objectWrite', quantity: files, category: 'numbers' },
    { price: 'scannedTerabyte', quantity: (of.queries * scanned) / 1_024 ** 4, category: 'numbers' },
  ];
}

const READS = new Set(['GetObject', 'HeadObject']);
/** S3 bills requests as reads or writes. Only deletions are free, and no profile has them. */
const price = (object: string) => (READS.has(object) ? 'objectRead' : 'objectWrite');

function objectRequests(of: Volumes, { minors, majors, baseSessions }: PipelineVolumes): Usage[] {
  const occurred = monthlyCalls(of).flatMap(({ name, count, category }) => {
    const { objects = [] }: CallProfile = CALL_PROFILES[name];
    return objects.map((object): Usage => ({ price: price(object), quantity: count, category }));
  });
  const files = 1 + baseSessions / FILE_SESSIONS;
  return [
    ...occurred,
    { price: 'objectWrite', quantity: scheduledRuns('background/sweep-facts'), category: 'fixed' },
    { price: 'objectWrite', quantity: minors + majors * files, category: 'numbers' },
    { price: 'objectRead', quantity: majors * (files + LEVEL1_FILES_A_MAJOR), category: 'numbers' },
    { price: 'objectRead', quantity: of.reads * FILES_A_READ, category: 'numbers' },
    // Each recording is stored once and downloaded once, and each upload is downloaded once.
    { price: 'objectWrite', quantity: of.calls, category: 'training' },
    { price: 'objectRead', quantity: of.calls + of.uploads, category: 'training' },
  ];
}

const MB = 1_024 ** 2;

function kept(of: Volumes, pipeline: PipelineVolumes): Usage[] {
  const replaced = (pipeline.majors * baseBytes(pipeline) * OLD_FILES_DAYS) / DAYS;
  const bytes: [CostCategory, number][] = [
    ['training', of.calls * of.recordingMb * MB * of.months],
    ['numbers', pipeline.rawBytes * of.months + of.funnels * baseBytes(pipeline) + replaced],
  ];
  const there = bytes.map(
    ([category, each]): Usage => ({ price: 'objectGigabyteMonth', quantity: each / GB, category }),
  );
  const heard = (of.calls * of.recordingMb * MB) / GB;
  return [...there, ...uploads(of), { price: 'gigabyteOut', quantity: heard, category: 'training' }];
}

/** Returns the storage of the uploads of the last `of.months` months. */
function uploads(of: Volumes): Usage[] {
  const bytes = of.uploadMb * MB;
  const monthsIn = (from: number, to: number) => Math.max(0, Math.min(of.months, to) - from);
  const category = 'leads';
  const tier = (price: PriceName, months: number): Usage => {
    return { price, quantity: (of.uploads * bytes * months) / GB, category };
  };
  if (bytes < MONITORED_BYTES_MIN) return [tier('objectGigabyteMonth', of.months)];
  return [
    tier('objectGigabyteMonth', monthsIn(0, INFREQUENT_AFTER)),
    tier('infrequentGigabyteMonth', monthsIn(INFREQUENT_AFTER, ARCHIVE_AFTER)),
    tier('instantArchiveGigabyteMonth', monthsIn(ARCHIVE_AFTER, of.months)),
    { price: 'monitoredObjectMonth', quantity: of.uploads * of.months, category },
  ];
}
