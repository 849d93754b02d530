import type { TableName } from '../../stacks/data/tables.ts';

/**
 * The AWS calls of one event, in warm functions, for items of the stated size. `test/infra/cli/cost/real-calls.test.ts`
 * runs each profile on stand-ins and compares.
 */
export type CallProfile = {
  /** The function that makes the calls. */
  function: string;
  tables: readonly TableCall[];
  /** S3 requests. */
  objects?: readonly ('PutObject' | 'GetObject' | 'HeadObject' | 'CopyObject' | 'DeleteObject' | 'ListObjectsV2')[];
  records?: number;
  invocations?: number;
};

export type TableCall = {
  action: string;
  on: TableName;
  /** The index that is queried instead of the table. */
  index?: string;
  /** Request units of the whole call: reads by 4 KB, halved where they need not be consistent; writes by KB. */
  reads?: number;
  writes?: number;
  /** Writes of indexes that the call causes: one for an entry made or removed, two for one whose key changes. */
  indexWrites?: number;
};

const get = (on: TableName, reads = 1): TableCall => ({ action: 'GetItem', on, reads });
/** A query without results is billed like one of 4 KB. */
const query = (on: TableName, reads = 1): TableCall => ({ action: 'Query', on, reads });
const write = (action: string, on: TableName, writes = 1, indexWrites = 0): TableCall => {
  return { action, on, writes, ...(indexWrites > 0 && { indexWrites }) };
};
const put = (on: TableName, writes = 1, indexWrites = 0) => write('PutItem', on, writes, indexWrites);
const update = (on: TableName, writes = 1, indexWrites = 0) => write('UpdateItem', on, writes, indexWrites);
const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

/** Shards of the indexes of due and pending items, each queried separately. */
const SHARDS = 8;
const shardQuery = (on: TableName, index: string): TableCall => ({ action: 'Query', on, index, reads: 0.5 });
const shards = (on: TableName, index: string): TableCall[] => times(SHARDS, shardQuery(on, index));

/** A member's request: reads the membership, and counts the rate limit of the user. */
const MEMBER = [get('directory'), update('limits')];
/** An analytics read: also fresh facts to their last page, and the manifest; both grow (see `tables.ts`). */
const READ = [...MEMBER, query('analytics'), get('analytics')];

export const CALL_PROFILES = {
  leadCreated: { function: 'funnel/submit', tables: [put('leads', 1, 1)] },
  /** The time of the last submit is the key of the index by funnel. */
  leadUpdated: { function: 'funnel/submit', tables: [update('leads', 1, 2)] },
  mailCodeSent: {
    function: 'funnel/mfa-send',
    tables: [get('leads'), ...times(4, update('limits')), update('leads')],
  },
  smsCodeSent: {
    function: 'funnel/mfa-send',
    tables: [get('leads'), ...times(5, update('limits')), update('leads')],
  },
  codeChecked: {
    function: 'funnel/mfa-check',
    tables: [update('limits'), get('leads'), get('limits'), update('leads')],
  },
  fileUploaded: {
    function: 'funnel/upload',
    tables: [...times(4, update('limits')), put('uploads', 1, 1)],
    objects: ['PutObject'],
  },
  /** The address's minute; then its day, the funnel's and the organization's, each reserved and refunded. */
  aiReplied: { function: 'funnel/ai-stream', tables: times(7, update('limits')) },
  batchIngested: { function: 'funnel/ingest-analytics', tables: [], records: 1 },
  overviewRead: { function: 'analytics/overview', tables: READ },
  timeseriesRead: { function: 'analytics/timeseries', tables: READ },
  acquisitionRead: { function: 'analytics/acquisition', tables: READ },
  caseCreated: { function: 'training/create-case', tables: [...MEMBER, put('training')] },
  sessionOpened: {
    function: 'training/open-session',
    tables: [
      ...MEMBER,
      update('limits'),
      { action: 'BatchGetItem', on: 'training', reads: 2 },
      write('BatchWriteItem', 'training', 3, 1),
    ],
  },
  /** By the provider's webhook, with a transcript that fits into the item. */
  callReported: {
    function: 'training/voice-webhook',
    tables: [get('training'), update('training', 2, 2)],
    invocations: 1,
  },
  callAnalysed: { function: 'background/analyse-call', tables: [get('training'), update('training', 3, 2)] },
  callRead: { function: 'training/read-call', tables: [...MEMBER, get('training')] },
  /** One of 12 blocks and 20 assets, with an idempotency key. */
  pageCopied: {
    function: 'landing-pages/copy',
    tables: [
      ...MEMBER,
      ...times(5, get('directory')),
      query('directory', 3),
      ...times(4, query('directory')),
      update('limits'),
      ...[put('directory'), put('directory', 1, 1), put('directory', 2)],
      ...[write('BatchWriteItem', 'directory', 25), write('BatchWriteItem', 'directory', 7)],
      ...[write('DeleteItem', 'directory', 1, 1), update('directory')],
    ],
    objects: times(20, 'CopyObject'),
  },
  /** Of one that is still being set up: its time in the index of what is due changes. */
  domainRemoved: {
    function: 'domains/delete',
    tables: [...MEMBER, update('directory', 1, 2)],
    invocations: 1,
  },
} satisfies Record<string, CallProfile>;

/** The event pipeline, per funnel of a batch and per funnel of a run. */
export const PIPELINE = {
  funnelAggregated: { function: 'background/aggregate-events', tables: [put('analytics', 1, 1)] },
  /** Of one fresh item; the run also lists pending items. */
  funnelCompacted: {
    function: 'background/compact-facts',
    tables: [
      ...[get('analytics'), query('analytics'), get('analytics'), put('analytics', 1, 1)],
      write('BatchWriteItem', 'analytics', 1, 1),
    ],
    objects: ['PutObject'],
  },
  /** Of a funnel with level 1 files that are not due yet, at each run. */
  funnelLookedAt: { function: 'background/compact-base', tables: [get('analytics')] },
  /** Of a funnel with nothing to remove, at each run. */
  funnelSwept: { function: 'background/sweep-facts', tables: [get('analytics')] },
  /** Of one level 1 file, onto no base. */
  baseRewritten: {
    function: 'background/compact-base',
    tables: [get('analytics'), get('analytics'), put('analytics', 1, 1)],
    objects: ['GetObject', 'PutObject'],
  },
} satisfies Record<string, CallProfile>;

/** Cost of a scheduled run without work. */
export const IDLE_RUNS: Record<string, Pick<CallProfile, 'tables' | 'objects'>> = {
  'background/compact-facts': { tables: shards('analytics', 'waiting') },
  'background/compact-base': { tables: shards('analytics', 'waiting') },
  'background/sweep-facts': { tables: [], objects: ['ListObjectsV2'] },
  /** The time of its last run is read and stored, in an item that is in no index. */
  'background/erase-late': {
    tables: [
      ...[...shards('analytics', 'waiting'), ...shards('analytics', 'waiting')],
      ...[get('analytics'), put('analytics')],
    ],
  },
  /** Also reads the shard of files whose inspection is retried. */
  'background/sweep-uploads': { tables: [...shards('uploads', 'due'), shardQuery('uploads', 'due')] },
  'background/sweep-calls': { tables: shards('training', 'due') },
  'background/sweep-copies': { tables: shards('directory', 'due') },
  'background/sweep-domains': { tables: shards('directory', 'due') },
  /** Besides what it does for each organization. */
  'background/enforce-retention': { tables: shards('training', 'due') },
};
