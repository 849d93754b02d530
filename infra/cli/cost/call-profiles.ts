import type { TableName } from '../../stacks/data/tables.ts';
import type { CostCategory } from './usage.ts';
import type { Volumes } from './volumes.ts';

/**
 * The AWS calls of one execution of a warm function, for small items. `test/infra/cli/cost/real-calls.test.ts` runs the
 * functions against stand-ins and compares their calls with the profiles.
 */
export type CallProfile = {
  /** Id of the function that makes the calls. */
  function: string;
  tables: readonly TableCall[];
  /** S3 requests. */
  objects?: readonly ('PutObject' | 'GetObject' | 'HeadObject' | 'CopyObject' | 'DeleteObject' | 'ListObjectsV2')[];
  records?: number;
  invocations?: number;
};

/** Calls whose number per month depends on the volumes, with the category of their costs. */
type MonthlyProfile = CallProfile & { perMonth(of: Volumes): number; category: CostCategory };

export type TableCall = {
  action: string;
  on: TableName;
  /** The index that is queried instead of the table. */
  index?: string;
  /** Read units of the call. A unit covers 4 KB, or 8 KB of an eventually consistent read. */
  reads?: number;
  /** Write units of the call. A unit covers 1 KB. */
  writes?: number;
  /**
   * Write units that the call causes in indexes: one for an added or removed entry, two for an entry whose key changes.
   */
  indexWrites?: number;
};

const get = (on: TableName, reads = 1): TableCall => ({ action: 'GetItem', on, reads });
/** DynamoDB bills a query without results like a query that reads 4 KB. */
const query = (on: TableName, reads = 1): TableCall => ({ action: 'Query', on, reads });
const write = (action: string, on: TableName, writes = 1, indexWrites = 0): TableCall => {
  return { action, on, writes, ...(indexWrites > 0 && { indexWrites }) };
};
const put = (on: TableName, writes = 1, indexWrites = 0) => write('PutItem', on, writes, indexWrites);
const update = (on: TableName, writes = 1, indexWrites = 0) => write('UpdateItem', on, writes, indexWrites);
const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

/** Number of shards of the indexes of due items and of pending items. Each shard is queried separately. */
const SHARDS = 8;
const shardQuery = (on: TableName, index: string): TableCall => ({ action: 'Query', on, index, reads: 0.5 });
const shards = (on: TableName, index: string): TableCall[] => times(SHARDS, shardQuery(on, index));

/** Every request of a member reads the membership, and is counted for the rate limit. */
const MEMBER = [get('directory'), update('limits')];
/** An analytics read queries the fresh facts and gets the manifest. `./tables.ts` adds units for larger items. */
const READ = [...MEMBER, query('analytics'), get('analytics')];

/** A write of the item with all webhook endpoints of an organization. Three endpoints fit into 2 KB. */
const ENDPOINT_WRITE = update('webhooks', 2);

export const CALL_PROFILES = {
  /** The lead is added to the index by funnel and to the outbox. */
  leadCreated: {
    function: 'funnel/submit',
    tables: [put('leads', 1, 2)],
    category: 'leads',
    perMonth: (of) => of.leads,
  },
  /**
   * The second submit of a visit. It changes the lead's key in the index by funnel, because this key contains the time
   * of the last submit. It also adds the lead to the outbox again, because the dispatcher removed the lead within
   * seconds after its creation. A later submit costs one unit less, or one unit more if it completes the lead.
   */
  leadUpdated: {
    function: 'funnel/submit',
    tables: [update('leads', 1, 3)],
    category: 'leads',
    perMonth: (of) => of.leads * (of.submits - 1),
  },
  mailCodeSent: {
    function: 'funnel/mfa-send',
    tables: [get('leads'), ...times(4, update('limits')), update('leads')],
    category: 'leads',
    perMonth: (of) => of.mailCodes,
  },
  smsCodeSent: {
    function: 'funnel/mfa-send',
    tables: [get('leads'), ...times(5, update('limits')), update('leads')],
    category: 'leads',
    perMonth: (of) => of.smsCodes,
  },
  /** The last submit has added the lead to the outbox. The verification changes the key of the lead's outbox entry. */
  codeChecked: {
    function: 'funnel/mfa-check',
    tables: [update('limits'), get('leads'), get('limits'), update('leads', 1, 2)],
    category: 'leads',
    perMonth: (of) => of.mailCodes + of.smsCodes,
  },
  fileUploaded: {
    function: 'funnel/upload',
    tables: [...times(4, update('limits')), put('uploads', 1, 1)],
    objects: ['PutObject'],
    category: 'leads',
    perMonth: (of) => of.uploads,
  },
  /**
   * One write counts the request for the IP address's limit per minute. The daily budgets of the IP address, the funnel
   * and the organization need two writes each, because tokens are reserved first and unused tokens are refunded later.
   */
  aiReplied: {
    function: 'funnel/ai-stream',
    tables: times(7, update('limits')),
    category: 'pages',
    perMonth: (of) => of.aiReplies,
  },
  batchIngested: {
    function: 'funnel/ingest-analytics',
    tables: [],
    records: 1,
    category: 'numbers',
    perMonth: (of) => of.events / of.eventsPerRequest,
  },
  overviewRead: { perMonth: (of) => of.reads / 3, category: 'numbers', function: 'analytics/overview', tables: READ },
  timeseriesRead: {
    function: 'analytics/timeseries',
    tables: READ,
    category: 'numbers',
    perMonth: (of) => of.reads / 3,
  },
  acquisitionRead: {
    function: 'analytics/acquisition',
    tables: READ,
    category: 'numbers',
    perMonth: (of) => of.reads / 3,
  },
  caseCreated: {
    function: 'training/create-case',
    tables: [...MEMBER, put('training')],
    category: 'training',
    perMonth: (of) => of.organizations,
  },
  sessionOpened: {
    function: 'training/open-session',
    tables: [
      ...MEMBER,
      update('limits'),
      { action: 'BatchGetItem', on: 'training', reads: 2 },
      write('BatchWriteItem', 'training', 3, 1),
    ],
    category: 'training',
    perMonth: (of) => of.calls,
  },
  /** The webhook of the voice provider reports a call whose transcript fits into the item. */
  callReported: {
    function: 'training/voice-webhook',
    tables: [get('training'), update('training', 2, 2)],
    invocations: 1,
    category: 'training',
    perMonth: (of) => of.calls,
  },
  /**
   * The recording is not available yet, so the analysis changes the call's key in the index of due calls. It also adds
   * the call to the outbox.
   */
  callAnalysed: {
    function: 'background/analyse-call',
    tables: [get('training'), update('training', 4, 3)],
    category: 'training',
    perMonth: (of) => of.calls,
  },
  callRead: {
    function: 'training/read-call',
    tables: [...MEMBER, get('training')],
    category: 'training',
    perMonth: (of) => 3 * of.calls,
  },
  /** Copying a page of 12 blocks and 20 assets, with an idempotency key. */
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
    category: 'pages',
    perMonth: (of) => of.pageCopies,
  },
  /**
   * Removal of a domain that is still being provisioned. Such a domain is in the due index, and the removal changes its
   * key there.
   */
  domainRemoved: {
    function: 'domains/delete',
    tables: [...MEMBER, update('directory', 1, 2)],
    invocations: 1,
    category: 'pages',
    perMonth: (of) => 0.1 * of.domains,
  },
  endpointCreated: {
    function: 'webhooks/create-endpoint',
    tables: [...MEMBER, ENDPOINT_WRITE],
    category: 'leads',
    perMonth: (of) => 0.1 * of.organizations,
  },
  endpointsListed: {
    function: 'webhooks/list-endpoints',
    tables: [...MEMBER, get('webhooks')],
    category: 'leads',
    perMonth: (of) => of.organizations,
  },
  endpointRead: {
    function: 'webhooks/read-endpoint',
    tables: [...MEMBER, get('webhooks')],
    category: 'leads',
    perMonth: (of) => of.organizations,
  },
  endpointChanged: {
    function: 'webhooks/update-endpoint',
    tables: [...MEMBER, ENDPOINT_WRITE],
    category: 'leads',
    perMonth: (of) => 0.1 * of.organizations,
  },
  endpointDeleted: {
    function: 'webhooks/delete-endpoint',
    tables: [...MEMBER, ENDPOINT_WRITE],
    category: 'leads',
    perMonth: (of) => 0.1 * of.organizations,
  },
  secretRotated: {
    function: 'webhooks/rotate-secret',
    // The previous generation of a secret makes the item larger.
    tables: [...MEMBER, get('webhooks'), update('webhooks', 3)],
    category: 'leads',
    perMonth: (of) => 0.1 * of.organizations,
  },
  endpointTested: {
    function: 'webhooks/test-endpoint',
    tables: [...MEMBER, get('webhooks')],
    category: 'leads',
    perMonth: (of) => of.organizations,
  },
  deliveriesListed: {
    function: 'webhooks/list-deliveries',
    tables: [...MEMBER, get('webhooks'), query('deliveries', 0.5)],
    category: 'leads',
    perMonth: (of) => of.organizations,
  },
  messageRedelivered: {
    function: 'webhooks/redeliver',
    tables: [
      ...[...MEMBER, get('webhooks')],
      ...[
        shardQuery('deliveries', 'byMessage'),
        get('deliveries'),
        update('deliveries', 1, 1),
        update('deliveries', 1, 1),
      ],
    ],
    category: 'leads',
    perMonth: (of) => 0.1 * of.organizations,
  },
  redeliveryStarted: {
    function: 'webhooks/redeliver-since',
    tables: [...MEMBER, get('webhooks'), update('deliveries'), update('deliveries', 1, 1)],
    category: 'leads',
    perMonth: (of) => 0.1 * of.organizations,
  },
  /** Counts the confirmation mail for two limits. Stores the address, and a notice, which causes the mail. */
  addressCreated: {
    function: 'notifications/create-address',
    tables: [
      ...[...MEMBER, update('limits'), update('limits'), get('notifications'), put('notifications', 2)],
      ...[put('notifications'), update('notifications', 1, 1)],
    ],
    category: 'leads',
    perMonth: (of) => 0.1 * of.organizations,
  },
  addressesListed: {
    function: 'notifications/list-addresses',
    tables: [...MEMBER, get('notifications')],
    category: 'leads',
    perMonth: (of) => of.organizations,
  },
  addressChanged: {
    function: 'notifications/update-address',
    tables: [...MEMBER, get('notifications'), put('notifications', 2)],
    category: 'leads',
    perMonth: (of) => 0.1 * of.organizations,
  },
  addressDeleted: {
    function: 'notifications/delete-address',
    tables: [...MEMBER, get('notifications'), put('notifications', 2)],
    category: 'leads',
    perMonth: (of) => 0.1 * of.organizations,
  },
  linkShown: {
    function: 'notifications/show-link',
    tables: [],
    category: 'leads',
    perMonth: (of) => 0.2 * of.organizations,
  },
  linkFollowed: {
    function: 'notifications/follow-link',
    tables: [update('notifications', 2)],
    category: 'leads',
    perMonth: (of) => 0.1 * of.organizations,
  },
} satisfies Record<string, MonthlyProfile>;

/** Functions whose calls are not priced, with the reason. */
export const UNPRICED: Readonly<Record<string, string>> = {
  'background/remove-domain': 'It runs once per removed domain, and domains are rarely removed.',
};

/** The calls of the event pipeline. Each profile covers one funnel, in one batch of records or one scheduled run. */
export const PIPELINE = {
  funnelAggregated: { function: 'background/aggregate-events', tables: [put('analytics', 1, 1)] },
  /** Compaction of one fresh item. `IDLE_RUNS` has the calls with which the run lists pending items. */
  funnelCompacted: {
    function: 'background/compact-facts',
    tables: [
      ...[get('analytics'), query('analytics'), get('analytics'), put('analytics', 1, 1)],
      write('BatchWriteItem', 'analytics', 1, 1),
    ],
    objects: ['PutObject'],
  },
  /** Each run reads the manifests of all funnels with pending level 1 files, even if no compaction is due yet. */
  manifestRead: { function: 'background/compact-base', tables: [get('analytics')] },
  /** Each run reads the manifest of every funnel, even if there are no files to remove. */
  funnelSwept: { function: 'background/sweep-facts', tables: [get('analytics')] },
  /** Major compaction of a funnel that has one level 1 file and no base. */
  baseRewritten: {
    function: 'background/compact-base',
    tables: [get('analytics'), get('analytics'), put('analytics', 1, 1)],
    objects: ['GetObject', 'PutObject'],
  },
} satisfies Record<string, CallProfile>;

const laneQuery: TableCall = { action: 'Query', on: 'deliveries', index: 'lanesByEndpoint', reads: 0.5 };
/** A run of the dispatcher lists due work at its start. The profiles assume runs of less than a second, which list once. */
const LIST_DELIVERIES = [
  ...[...shards('leads', 'due'), shardQuery('training', 'outbox'), shardQuery('directory', 'due')],
  ...shards('deliveries', 'due'),
];

/** The calls for changes of leads and their messages. `IDLE_RUNS` has further calls, which every run makes. */
export const DELIVERIES = {
  /** Reads a new lead, the webhook endpoints and the notification addresses, and removes the lead from the outbox. */
  changeDispatched: {
    function: 'background/dispatch-messages',
    tables: [get('leads'), get('webhooks'), get('notifications'), update('leads', 1, 1)],
  },
  /** Raises the lane of one endpoint, and wakes the endpoint. */
  laneRaised: {
    function: 'background/dispatch-messages',
    tables: [update('deliveries', 1, 1), update('deliveries', 1, 2)],
  },
  /** The run makes one attempt. It stores the message before the attempt, and the result and the history after it. */
  messageSent: {
    function: 'background/dispatch-messages',
    tables: [
      ...[get('deliveries'), laneQuery, get('deliveries'), get('webhooks'), get('leads')],
      ...[put('deliveries', 1, 2), update('deliveries', 1, 1), put('deliveries', 1, 1)],
      ...[get('deliveries'), laneQuery, update('deliveries', 1, 2)],
    ],
  },
  /** Two minutes after its last message, the endpoint leaves the due index. */
  endpointSettled: {
    function: 'background/dispatch-messages',
    tables: [get('deliveries'), update('deliveries'), laneQuery, laneQuery, update('deliveries', 1, 1)],
  },
} satisfies Record<string, CallProfile>;

/** The calls for a mail about one lead. `IDLE_RUNS` has further calls, which every run makes. */
export const NOTIFICATION_MAIL = {
  /** Stores a notice for a confirmed address, and makes the address due. */
  noticeStored: {
    function: 'background/dispatch-messages',
    tables: [put('notifications'), update('notifications', 1, 1)],
  },
  /**
   * Acquires the lease of the address. Reads the address, its notices, the organization, the lead and its funnel. After
   * the mail, removes the notice and releases the lease.
   */
  mailSent: {
    function: 'background/send-notifications',
    tables: [
      ...[update('notifications'), get('notifications'), query('notifications'), get('directory')],
      { action: 'BatchGetItem', on: 'leads', reads: 1 },
      ...[get('directory', 0.5), get('directory', 0.5)],
      ...[write('BatchWriteItem', 'notifications'), update('notifications', 1, 1)],
      ...shards('notifications', 'due'),
    ],
  },
} satisfies Record<string, CallProfile>;

/** The calls of a scheduled run that finds no work. */
export const IDLE_RUNS: Record<string, Pick<CallProfile, 'tables' | 'objects'>> = {
  'background/compact-facts': { tables: shards('analytics', 'waiting') },
  'background/compact-base': { tables: shards('analytics', 'waiting') },
  'background/sweep-facts': { tables: [], objects: ['ListObjectsV2'] },
  /** A run also reads and writes the item with the time of the last run. No index contains this item. */
  'background/erase-late': {
    tables: [
      ...[...shards('analytics', 'waiting'), ...shards('analytics', 'waiting')],
      ...[get('analytics'), put('analytics')],
    ],
  },
  /** The last query reads one more shard, which lists the files whose inspection is retried. */
  'background/sweep-uploads': { tables: [...shards('uploads', 'due'), shardQuery('uploads', 'due')] },
  'background/sweep-calls': { tables: shards('training', 'due') },
  'background/sweep-copies': { tables: shards('directory', 'due') },
  'background/sweep-domains': { tables: shards('directory', 'due') },
  /** The calls that a run makes for each organization are not included. */
  'background/enforce-retention': { tables: shards('training', 'due') },
  'background/dispatch-messages': { tables: LIST_DELIVERIES },
  'background/run-dispatcher': { tables: [] },
  'background/send-notifications': { tables: shards('notifications', 'due') },
};
