import { ingestAnalyticsOperation } from '../../../functions/funnel/ingest-analytics/operation.ts';
import { submitOperation } from '../../../functions/funnel/submit/operation.ts';
import { methodThrottle } from '../../stacks/api/method-throttle.ts';
import { SCANNED_BYTES_MAX } from '../../stacks/lake/query-limit.ts';
import { BUSIEST_DAY, BUSIEST_FUNNEL, COLD, MESSAGES_PER_SECOND, PEAK } from './assumptions.ts';
import { CALL_PROFILES } from './call-profiles.ts';
import { messagesOf } from './deliveries.ts';
import { millisecondsOf, monthlyCalls, preflights } from './executions.ts';
import { QUOTAS } from './list-prices.ts';
import { type PipelineVolumes, pipelineVolumes, writesOf } from './pipeline-volumes.ts';
import { DAYS, SECONDS } from './usage.ts';
import type { Volumes } from './volumes.ts';

export type CapacityLimit = {
  what: string;
  /** The load, in `unit`. For most limits, this is the load in the busiest second of the month. */
  load: number;
  capacity: number;
  unit: string;
  /** What happens if the load exceeds the capacity. */
  beyond: string;
  /** How to increase the capacity or to reduce the load. */
  lever: string;
};

/** Shards of the indexes of leads (`INDEX_SHARD_COUNT`) and of pending items (`PENDING_INDEX_SHARDS`). */
const INDEX_SHARDS = 8;
/** If a funnel has this many fresh facts or more, the next run of compact-facts compacts it (`PENDING_FACTS_MAX`). */
const FRESH_FACTS_MAX = 5_000;
/**
 * Maximum age of a fresh fact while compact-facts processes all due funnels in time: `PENDING_MS_MAX` plus the interval
 * of compact-facts.
 */
const FRESH_SECONDS = 120;

/** Returns all limits, ordered by `share`, the highest first. */
export function capacityLimits(of: Volumes): (CapacityLimit & { share: number })[] {
  const pipeline = pipelineVolumes(of);
  return [...callLimits(of), ...streamLimits(pipeline), ...storeLimits(of, pipeline), ...accountLimits(of)]
    .map((limit) => ({ ...limit, share: limit.load / limit.capacity }))
    .sort((a, b) => b.share - a.share);
}

/** Returns the part of a monthly quantity that falls into the busiest second. */
const atPeak = (quantity: number): number => (PEAK * quantity) / SECONDS;

function callLimits(of: Volumes): CapacityLimit[] {
  const all = monthlyCalls(of);
  const called = all.reduce((sum, { count }) => sum + count, 0);
  const preflightCount = preflights(of).reduce((sum, { count }) => sum + count, 0);
  const busySeconds = all.reduce((sum, { name, count }) => {
    const milliseconds = millisecondsOf(CALL_PROFILES[name].function) + COLD.share * COLD.milliseconds;
    return sum + (count * milliseconds) / 1_000;
  }, 0);
  return [
    {
      what: 'Throttle of one path of ingest',
      unit: 'requests/s',
      load: atPeak(of.events / of.eventsPerRequest),
      capacity: methodThrottle(ingestAnalyticsOperation).throttlingRateLimit,
      beyond: 'browsers get 429 and retry later',
      lever: 'raise ADDRESSES_AT_THEIR_LIMIT in infra/stacks/api/method-throttle.ts; send more events per request',
    },
    {
      what: 'Throttle of the submit method',
      unit: 'requests/s',
      load: atPeak(of.leads * of.submits),
      capacity: methodThrottle(submitOperation).throttlingRateLimit,
      beyond: 'visitors get 429 and their browsers retry',
      lever: 'raise ADDRESSES_AT_THEIR_LIMIT in infra/stacks/api/method-throttle.ts',
    },
    {
      what: 'Throttle of the account',
      unit: 'requests/s with preflights',
      load: atPeak(called + preflightCount),
      capacity: QUOTAS.gatewayRequestsPerSecond.value,
      beyond: 'any request can get 429',
      lever: 'request a higher quota; serve pages and API from one origin, which avoids preflights',
    },
    {
      what: 'dispatch-messages, one execution for all webhook endpoints',
      unit: 'messages/s',
      load: atPeak(messagesOf(of)),
      capacity: MESSAGES_PER_SECOND,
      beyond: 'no message is lost, but messages are late; after 15 minutes, the alarm DeliveriesDelayed goes off',
      lever:
        'raise memoryMb (functions/background/dispatch-messages), or run one execution for each shard of the index',
    },
    {
      what: 'Concurrent executions',
      unit: 'executions',
      load: atPeak(busySeconds),
      capacity: QUOTAS.concurrentExecutions.value,
      beyond: 'requests get 429 or 5xx, and background work is delayed',
      lever: 'request a higher quota; reserve concurrency for submit',
    },
  ];
}

function streamLimits({ records, recordBytes, items, minorSeconds, majorSeconds }: PipelineVolumes): CapacityLimit[] {
  return [
    {
      what: 'A new on-demand stream',
      unit: 'bytes/s',
      load: atPeak(records * recordBytes),
      capacity: QUOTAS.streamBytesPerSecondAtFirst.value,
      beyond: 'ingest returns 503 until the stream has doubled its capacity, within minutes; browsers retry',
      lever: 'increase the traffic step by step, or start with provisioned shards',
    },
    {
      what: 'An on-demand stream at its maximum',
      unit: 'bytes/s',
      load: atPeak(records * recordBytes),
      capacity: QUOTAS.streamBytesPerSecondMax.value,
      beyond: 'ingest returns 503',
      lever: 'request a higher quota; distribute the funnels over two streams',
    },
    {
      what: 'compact-facts, one execution for all funnels',
      unit: 'seconds of work per second',
      load: minorSeconds / SECONDS,
      capacity: 1,
      beyond:
        'no data is lost, but funnels are compacted less often than every two minutes, and reads process more ' +
        'fresh facts. At five times the capacity, the alarm FactsPending goes off',
      lever:
        'raise PENDING_MS_MAX, or MINOR_COMPACTION_CONCURRENCY together with memoryMb ' +
        '(shared/analytics/compaction/minor-compaction.ts, functions/background/compact-facts); ' +
        'if that is not enough, run one execution for each shard of the index',
    },
    {
      what: 'compact-base, one execution for all funnels',
      unit: 'seconds of work per second',
      load: majorSeconds / SECONDS,
      capacity: 1,
      beyond: 'the number of level 1 files grows, and reads open more files',
      lever:
        'compact less often (LEVEL1_AGE_MS_MAX and LEVEL1_FILES_MAX in ' +
        'shared/analytics/compaction/major-compaction.ts); ' +
        'distribute the funnels over several executions',
    },
    {
      what: 'One shard of the index of pending items',
      unit: 'write units/s',
      // Each item is added to the index once and removed once.
      load: atPeak(2 * items) / INDEX_SHARDS,
      capacity: QUOTAS.partitionWritesPerSecond.value,
      beyond: 'aggregate-events retries its batch, and analytics are delayed',
      lever:
        'raise PENDING_INDEX_SHARDS (shared/analytics/facts/aws/dynamo-keys.ts); add a batching window to the ' +
        'stream, which makes fewer and larger items',
    },
    {
      what: 'Fresh facts in a read of the busiest funnel',
      unit: 'facts',
      load: FRESH_SECONDS * atPeak(BUSIEST_FUNNEL * records),
      capacity: FRESH_FACTS_MAX,
      beyond: 'the funnel is compacted every minute; at more than twice the capacity, its reads take longer',
      lever: 'send more events per request; run compact-facts more often',
    },
  ];
}

function storeLimits(of: Volumes, { items, itemBytes, rawBytes }: PipelineVolumes): CapacityLimit[] {
  const ofItem = 2 * writesOf(itemBytes);
  return [
    {
      what: "Partition of the busiest funnel's facts",
      unit: 'write units/s',
      load: atPeak(BUSIEST_FUNNEL * items * ofItem),
      capacity: QUOTAS.partitionWritesPerSecond.value,
      beyond: 'aggregate-events retries its batch, and analytics are delayed',
      lever: 'add a batching window to the stream, or distribute the facts of a funnel over several partitions',
    },
    {
      what: "One shard of the index of the busiest funnel's leads",
      unit: 'write units/s',
      load: atPeak(BUSIEST_FUNNEL * of.leads * of.submits * 2) / INDEX_SHARDS,
      capacity: QUOTAS.partitionWritesPerSecond.value,
      beyond: 'some submits to this funnel return 503, and browsers retry',
      lever: 'raise INDEX_SHARD_COUNT (shared/leads/index-shards.ts)',
    },
    {
      what: 'One shard of the outbox of leads',
      unit: 'write units/s',
      // The highest possible load: each submit adds an entry for its lead, and each entry is removed once.
      load: atPeak(of.leads * of.submits * 2) / INDEX_SHARDS,
      capacity: QUOTAS.partitionWritesPerSecond.value,
      beyond: 'some submits return 503, and browsers retry',
      lever: 'raise INDEX_SHARD_COUNT (shared/leads/index-shards.ts)',
    },
    {
      what: 'Table of fresh facts',
      unit: 'write units/s',
      load: atPeak(items * (ofItem + 2)),
      capacity: QUOTAS.tableWritesPerSecond.value,
      beyond: 'aggregate-events retries its batch, and analytics are delayed',
      lever: 'request a higher quota; add a batching window to the stream',
    },
    {
      what: 'Athena, a query over a month of raw events',
      unit: 'bytes',
      load: rawBytes,
      capacity: SCANNED_BYTES_MAX,
      beyond: 'the query is cancelled',
      lever:
        'add a condition on arrival_date; query facts instead of raw events; ' +
        'raise SCANNED_BYTES_MAX in infra/stacks/lake/query-limit.ts',
    },
  ];
}

const accountLimits = (of: Volumes): CapacityLimit[] => [
  {
    what: 'SES, e-mails on the busiest day',
    unit: 'e-mails',
    load: BUSIEST_DAY * ((of.mailCodes + of.notificationMails) / DAYS),
    capacity: QUOTAS.mailsPerDay.value,
    beyond: 'no more e-mails with codes or about leads are sent on that day',
    lever: 'request a higher quota some days before',
  },
  {
    what: 'The language model',
    unit: 'tokens per minute',
    load: 60 * atPeak(of.aiReplies * (of.aiTokensIn + of.aiTokensOut)),
    capacity: QUOTAS.modelTokensPerMinute.value,
    beyond: 'prompts get 502',
    lever: 'use an inference profile over several regions; request a higher quota',
  },
  {
    what: 'CloudFront, custom domains',
    unit: 'tenants',
    load: of.domains,
    capacity: QUOTAS.edgeTenants.value,
    beyond: 'further domains cannot be provisioned',
    lever: 'request a higher quota',
  },
];
