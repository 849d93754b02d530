import { ingestAnalyticsOperation } from '../../../functions/funnel/ingest-analytics/operation.ts';
import { submitOperation } from '../../../functions/funnel/submit/operation.ts';
import { methodThrottle } from '../../api/method-throttle.ts';
import { SCANNED_BYTES_MAX } from '../../lake/query-limit.ts';
import { BUSIEST_DAY, BUSIEST_FUNNEL, COLD, MILLISECONDS, PEAK } from './assumptions.ts';
import { CALL_PROFILES } from './call-profiles.ts';
import { happenings, preflights } from './executions.ts';
import { QUOTAS } from './list-prices.ts';
import { type PipelineVolumes, pipelineVolumes, writesOf } from './pipeline-volumes.ts';
import { DAYS, SECONDS } from './usage.ts';
import type { Volumes } from './volumes.ts';

/** Something that gives way: what it is asked for in the busiest second (or as said), what it can, what happens beyond, and what helps. */
export type CapacityLimit = { what: string; asked: number; can: number; unit: string; beyond: string; lever: string };

/** Shards of the indexes of leads and of fresh facts (lead-item.ts, dynamo-waiting.ts). */
const INDEX_SHARDS = 8;
/** More of them slow a read (compact.ts). */
const FRESH_FACTS_MAX = 5_000;
/** So long a fact may wait for the schedule that finds it due. */
const FRESH_SECONDS = 120;

/** All limits, the nearest first: what breaks is the first, once it is asked for more than it can. */
export function capacityLimits(of: Volumes): (CapacityLimit & { share: number })[] {
  const pipeline = pipelineVolumes(of);
  return [...callLimits(of), ...streamLimits(pipeline), ...storeLimits(of, pipeline), ...accountLimits(of)]
    .map((limit) => ({ ...limit, share: limit.asked / limit.can }))
    .sort((a, b) => b.share - a.share);
}

/** Of a month's quantity, in the busiest second. */
const atPeak = (quantity: number): number => (PEAK * quantity) / SECONDS;

function callLimits(of: Volumes): CapacityLimit[] {
  const all = happenings(of);
  const called = all.reduce((sum, { count }) => sum + count, 0);
  const asked = preflights(of).reduce((sum, { count }) => sum + count, 0);
  const busySeconds = all.reduce((sum, { name, count }) => {
    const milliseconds = (MILLISECONDS[CALL_PROFILES[name].function] ?? 0) + COLD.share * COLD.milliseconds;
    return sum + (count * milliseconds) / 1_000;
  }, 0);
  return [
    {
      ...{ what: 'Throttle of the ingest method', unit: 'requests/s' },
      ...{
        asked: atPeak(of.events / of.eventsPerRequest),
        can: methodThrottle(ingestAnalyticsOperation).throttlingRateLimit,
      },
      beyond: 'pages are answered 429 and send again later',
      lever: 'raise ADDRESSES_AT_THEIR_LIMIT in infra/api/method-throttle.ts; let pages send more events a request',
    },
    {
      ...{ what: 'Throttle of the submit method', unit: 'requests/s' },
      ...{ asked: atPeak(of.leads * of.submits), can: methodThrottle(submitOperation).throttlingRateLimit },
      beyond: 'visitors are answered 429 and the page sends again',
      lever: 'raise ADDRESSES_AT_THEIR_LIMIT in infra/api/method-throttle.ts',
    },
    {
      ...{ what: 'Throttle of the account', unit: 'requests/s with preflights' },
      ...{ asked: atPeak(called + asked), can: QUOTAS.gatewayRequestsPerSecond.value },
      beyond: 'any request may be answered 429',
      lever: 'ask for a higher quota; serve pages and API from one origin, which spares the preflights',
    },
    {
      ...{ what: 'Concurrent executions', unit: 'at once' },
      ...{ asked: atPeak(busySeconds), can: QUOTAS.concurrentExecutions.value },
      beyond: 'requests are answered 429 or 5xx, background work waits',
      lever: 'ask for a higher quota; reserve some for submit',
    },
  ];
}

function streamLimits({ records, recordBytes, items, minorSeconds, majorSeconds }: PipelineVolumes): CapacityLimit[] {
  return [
    {
      ...{ what: 'A new on-demand stream', unit: 'bytes/s' },
      ...{ asked: atPeak(records * recordBytes), can: QUOTAS.streamBytesPerSecondAtFirst.value },
      beyond: 'ingest answers 503 until the stream has grown, pages send again',
      lever: 'it doubles by itself within minutes: bring traffic in step by step, or begin with provisioned shards',
    },
    {
      ...{ what: 'An on-demand stream at its most', unit: 'bytes/s' },
      ...{ asked: atPeak(records * recordBytes), can: QUOTAS.streamBytesPerSecondMax.value },
      beyond: 'ingest answers 503',
      lever: 'ask for more; a second stream, by funnel',
    },
    {
      ...{ what: 'compact-facts, one execution for all funnels', unit: 'seconds of work a second' },
      ...{ asked: minorSeconds / SECONDS, can: 1 },
      beyond:
        'nothing is lost: a round over all funnels takes longer than the two minutes that it may, by as many times; SQL lags as much and reads meet more fresh facts. At five times the alarm FactsWait rings',
      lever:
        'raise WAIT_MS, or COMPACTED_AT_ONCE together with memoryMb (shared/analytics/compaction/minor-compaction.ts, functions/background/compact-facts); then one execution for each shard of the index',
    },
    {
      ...{ what: 'compact-base, one execution for all funnels', unit: 'seconds of work a second' },
      ...{ asked: majorSeconds / SECONDS, can: 1 },
      beyond: 'small files pile up, reads open more of them',
      lever: 'compact less often (WAIT_MS, FILES_MAX); several executions, each with funnels of its own',
    },
    {
      ...{ what: 'Index of waiting facts, a shard of it', unit: 'write units/s' },
      // An entry made and one removed.
      ...{ asked: atPeak(2 * items) / INDEX_SHARDS, can: QUOTAS.partitionWritesPerSecond.value },
      beyond: 'aggregate-events repeats its batch, numbers are late',
      lever:
        'more INDEX_SHARDS (dynamo-waiting.ts); a batching window on the stream, which makes fewer and larger items',
    },
    {
      ...{ what: 'Fresh facts that a read of the busiest funnel meets', unit: 'facts' },
      ...{ asked: FRESH_SECONDS * atPeak(BUSIEST_FUNNEL * records), can: FRESH_FACTS_MAX },
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
      ...{ asked: atPeak(BUSIEST_FUNNEL * items * ofItem), can: QUOTAS.partitionWritesPerSecond.value },
      beyond: "aggregate-events repeats its batch, that funnel's numbers are late",
      lever: 'a batching window on the stream; then a partition for each shard of a funnel',
    },
    {
      ...{ what: "Index of the busiest funnel's leads, a shard of it", unit: 'write units/s' },
      ...{
        asked: atPeak(BUSIEST_FUNNEL * of.leads * of.submits * 2) / INDEX_SHARDS,
        can: QUOTAS.partitionWritesPerSecond.value,
      },
      beyond: 'submits of that funnel answer 503 at times, pages send again',
      lever: 'more SHARDS (lead-item.ts)',
    },
    {
      ...{ what: 'Table of fresh facts', unit: 'write units/s' },
      ...{ asked: atPeak(items * (ofItem + 2)), can: QUOTAS.tableWritesPerSecond.value },
      beyond: 'aggregate-events repeats its batch, numbers are late',
      lever: 'ask for a higher quota; a batching window on the stream',
    },
    {
      ...{ what: 'Athena, a query over a month of raw events', unit: 'bytes' },
      ...{ asked: rawBytes, can: SCANNED_BYTES_MAX },
      beyond: 'the query is ended',
      lever:
        'a condition on arrival_date; the facts instead of raw events; SCANNED_BYTES_MAX in infra/lake/query-limit.ts',
    },
  ];
}

const accountLimits = (of: Volumes): CapacityLimit[] => [
  {
    ...{ what: 'SES, e-mails on the busiest day', unit: 'e-mails' },
    ...{ asked: BUSIEST_DAY * (of.mailCodes / DAYS), can: QUOTAS.mailsPerDay.value },
    beyond: 'no code goes by e-mail for the rest of the day',
    lever: 'ask for a higher quota well before',
  },
  {
    ...{ what: 'The model', unit: 'tokens a minute' },
    ...{ asked: 60 * atPeak(of.aiReplies * (of.aiTokensIn + of.aiTokensOut)), can: QUOTAS.modelTokensPerMinute.value },
    beyond: 'prompts are answered 502',
    lever: 'an inference profile over several regions; a higher quota',
  },
  {
    ...{ what: 'CloudFront, hostnames of customers', unit: 'tenants' },
    ...{ asked: of.domains, can: QUOTAS.edgeTenants.value },
    beyond: 'further hostnames stay without a certificate',
    lever: 'ask for a higher quota',
  },
];
