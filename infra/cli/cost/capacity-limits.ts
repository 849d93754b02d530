import { ingestAnalyticsOperation } from '../../../functions/funnel/ingest-analytics/operation.ts';
import { submitOperation } from '../../../functions/funnel/submit/operation.ts';
import { methodThrottle } from '../../stacks/api/method-throttle.ts';
import { SCANNED_BYTES_MAX } from '../../stacks/lake/query-limit.ts';
import { BUSIEST_DAY, BUSIEST_FUNNEL, COLD, MILLISECONDS, PEAK } from './assumptions.ts';
import { CALL_PROFILES } from './call-profiles.ts';
import { monthlyCalls, preflights } from './executions.ts';
import { QUOTAS } from './list-prices.ts';
import { type PipelineVolumes, pipelineVolumes, writesOf } from './pipeline-volumes.ts';
import { DAYS, SECONDS } from './usage.ts';
import type { Volumes } from './volumes.ts';

/** A limit: its load in the busiest second (or in `unit`), its capacity, the effect of exceeding it, and the remedy. */
export type CapacityLimit = {
  what: string;
  load: number;
  capacity: number;
  unit: string;
  beyond: string;
  lever: string;
};

/** Shards of the indexes of leads and of fresh facts (lead-item.ts, dynamo-keys.ts). */
const INDEX_SHARDS = 8;
/** More of them slow down reads (minor compaction). */
const FRESH_FACTS_MAX = 5_000;
/** Maximum age of a fact before its scheduled compaction. */
const FRESH_SECONDS = 120;

/** All limits, highest utilisation first. */
export function capacityLimits(of: Volumes): (CapacityLimit & { share: number })[] {
  const pipeline = pipelineVolumes(of);
  return [...callLimits(of), ...streamLimits(pipeline), ...storeLimits(of, pipeline), ...accountLimits(of)]
    .map((limit) => ({ ...limit, share: limit.load / limit.capacity }))
    .sort((a, b) => b.share - a.share);
}

/** The share of a monthly quantity in the busiest second. */
const atPeak = (quantity: number): number => (PEAK * quantity) / SECONDS;

function callLimits(of: Volumes): CapacityLimit[] {
  const all = monthlyCalls(of);
  const called = all.reduce((sum, { count }) => sum + count, 0);
  const preflightCount = preflights(of).reduce((sum, { count }) => sum + count, 0);
  const busySeconds = all.reduce((sum, { name, count }) => {
    const milliseconds = (MILLISECONDS[CALL_PROFILES[name].function] ?? 0) + COLD.share * COLD.milliseconds;
    return sum + (count * milliseconds) / 1_000;
  }, 0);
  return [
    {
      ...{ what: 'Throttle of the ingest method', unit: 'requests/s' },
      ...{
        load: atPeak(of.events / of.eventsPerRequest),
        capacity: methodThrottle(ingestAnalyticsOperation).throttlingRateLimit,
      },
      beyond: 'pages get 429 and retry later',
      lever:
        'raise ADDRESSES_AT_THEIR_LIMIT in infra/stacks/api/method-throttle.ts; let pages send more events a request',
    },
    {
      ...{ what: 'Throttle of the submit method', unit: 'requests/s' },
      ...{ load: atPeak(of.leads * of.submits), capacity: methodThrottle(submitOperation).throttlingRateLimit },
      beyond: 'visitors get 429 and the page retries',
      lever: 'raise ADDRESSES_AT_THEIR_LIMIT in infra/stacks/api/method-throttle.ts',
    },
    {
      ...{ what: 'Throttle of the account', unit: 'requests/s with preflights' },
      ...{ load: atPeak(called + preflightCount), capacity: QUOTAS.gatewayRequestsPerSecond.value },
      beyond: 'any request can get 429',
      lever: 'request a higher quota; serve pages and API from one origin, which spares the preflights',
    },
    {
      ...{ what: 'Concurrent executions', unit: 'at once' },
      ...{ load: atPeak(busySeconds), capacity: QUOTAS.concurrentExecutions.value },
      beyond: 'requests get 429 or 5xx, background work is delayed',
      lever: 'request a higher quota; reserve some for submit',
    },
  ];
}

function streamLimits({ records, recordBytes, items, minorSeconds, majorSeconds }: PipelineVolumes): CapacityLimit[] {
  return [
    {
      ...{ what: 'A new on-demand stream', unit: 'bytes/s' },
      ...{ load: atPeak(records * recordBytes), capacity: QUOTAS.streamBytesPerSecondAtFirst.value },
      beyond: 'ingest returns 503 until the stream has scaled, pages retry',
      lever: 'it doubles automatically within minutes: increase traffic step by step, or start with provisioned shards',
    },
    {
      ...{ what: 'An on-demand stream at its most', unit: 'bytes/s' },
      ...{ load: atPeak(records * recordBytes), capacity: QUOTAS.streamBytesPerSecondMax.value },
      beyond: 'ingest returns 503',
      lever: 'request more; a second stream, by funnel',
    },
    {
      ...{ what: 'compact-facts, one execution for all funnels', unit: 'seconds of work a second' },
      ...{ load: minorSeconds / SECONDS, capacity: 1 },
      beyond:
        'nothing is lost: a round over all funnels takes that many times its two minutes; SQL lags as much, and reads ' +
        'process more fresh facts. At five times, the alarm FactsWait goes off',
      lever:
        'raise WAIT_MS, or COMPACTED_AT_ONCE together with memoryMb (shared/analytics/compaction/minor-compaction.ts, ' +
        'functions/background/compact-facts); then run one execution for each shard of the index',
    },
    {
      ...{ what: 'compact-base, one execution for all funnels', unit: 'seconds of work a second' },
      ...{ load: majorSeconds / SECONDS, capacity: 1 },
      beyond: 'level 1 files pile up, reads open more of them',
      lever: 'compact less often (WAIT_MS, FILES_MAX); several executions, each with funnels of its own',
    },
    {
      ...{ what: 'Index of pending items, a shard of it', unit: 'write units/s' },
      // An entry made and one removed.
      ...{ load: atPeak(2 * items) / INDEX_SHARDS, capacity: QUOTAS.partitionWritesPerSecond.value },
      beyond: 'aggregate-events retries its batch, analytics are delayed',
      lever:
        'more PENDING_INDEX_SHARDS (dynamo-keys.ts); a batching window on the stream, which makes fewer and larger items',
    },
    {
      ...{ what: 'Fresh facts that a read of the busiest funnel meets', unit: 'facts' },
      ...{ load: FRESH_SECONDS * atPeak(BUSIEST_FUNNEL * records), capacity: FRESH_FACTS_MAX },
      beyond: 'the funnel is compacted every minute; beyond twice as many its reads take longer',
      lever: 'more events a request; WAIT_MS below a minute for such funnels',
    },
  ];
}

function storeLimits(of: Volumes, { items, itemBytes, rawBytes }: PipelineVolumes): CapacityLimit[] {
  const ofItem = 2 * writesOf(itemBytes);
  return [
    {
      ...{ what: "Partition of the busiest funnel's facts", unit: 'write units/s' },
      ...{ load: atPeak(BUSIEST_FUNNEL * items * ofItem), capacity: QUOTAS.partitionWritesPerSecond.value },
      beyond: 'aggregate-events retries its batch, the analytics of that funnel are delayed',
      lever: 'a batching window on the stream; then a partition for each shard of a funnel',
    },
    {
      ...{ what: "Index of the busiest funnel's leads, a shard of it", unit: 'write units/s' },
      ...{
        load: atPeak(BUSIEST_FUNNEL * of.leads * of.submits * 2) / INDEX_SHARDS,
        capacity: QUOTAS.partitionWritesPerSecond.value,
      },
      beyond: 'some submits of that funnel return 503, pages retry',
      lever: 'more SHARDS (lead-item.ts)',
    },
    {
      ...{ what: 'Table of fresh facts', unit: 'write units/s' },
      ...{ load: atPeak(items * (ofItem + 2)), capacity: QUOTAS.tableWritesPerSecond.value },
      beyond: 'aggregate-events retries its batch, analytics are delayed',
      lever: 'request a higher quota; a batching window on the stream',
    },
    {
      ...{ what: 'Athena, a query over a month of raw events', unit: 'bytes' },
      ...{ load: rawBytes, capacity: SCANNED_BYTES_MAX },
      beyond: 'the query is cancelled',
      lever:
        'a condition on arrival_date; the facts instead of raw events; SCANNED_BYTES_MAX in infra/stacks/lake/query-limit.ts',
    },
  ];
}

const accountLimits = (of: Volumes): CapacityLimit[] => [
  {
    ...{ what: 'SES, e-mails on the busiest day', unit: 'e-mails' },
    ...{ load: BUSIEST_DAY * (of.mailCodes / DAYS), capacity: QUOTAS.mailsPerDay.value },
    beyond: 'no more codes are sent by e-mail on that day',
    lever: 'request a higher quota well before',
  },
  {
    ...{ what: 'The model', unit: 'tokens a minute' },
    ...{
      load: 60 * atPeak(of.aiReplies * (of.aiTokensIn + of.aiTokensOut)),
      capacity: QUOTAS.modelTokensPerMinute.value,
    },
    beyond: 'prompts get 502',
    lever: 'an inference profile over several regions; a higher quota',
  },
  {
    ...{ what: 'CloudFront, hostnames of customers', unit: 'tenants' },
    ...{ load: of.domains, capacity: QUOTAS.edgeTenants.value },
    beyond: 'further hostnames get no certificate',
    lever: 'request a higher quota',
  },
];
