type KeyType = 'S' | 'N';

export type TableIndex = {
  name: string;
  hash: { name: string; type: KeyType };
  range: { name: string; type: KeyType };
  /** `keys`: only the keys are projected, which makes writes to the index cheap. */
  projection: 'all' | 'keys';
};

export type TableShape = {
  name: TableName;
  /** Construct id in the data stack. It must not change, because CloudFormation would create a new, empty table. */
  constructId: string;
  indexes: readonly TableIndex[];
};

export type TableName =
  | 'directory'
  | 'leads'
  | 'training'
  | 'analytics'
  | 'uploads'
  | 'limits'
  | 'webhooks'
  | 'deliveries'
  | 'notifications';

/** The key of every table; both parts are strings. */
export const TABLE_KEYS = { hash: 'pk', range: 'sk' } as const;

/** The TTL attribute of every table, in epoch seconds. */
export const EXPIRY_ATTRIBUTE = 'expiresAt';

/** Index of the items with unfinished work, by time. */
const DUE: TableIndex = {
  name: 'due',
  hash: { name: 'dueShard', type: 'S' },
  range: { name: 'dueAt', type: 'S' },
  projection: 'keys',
};

/**
 * The tables that CDK deploys and that the local runtime creates. The keys of indexes are sharded against hot
 * partitions, except those of `outbox`, `lanesByEndpoint` and `byMessage`.
 */
export const TABLES: readonly TableShape[] = [
  {
    name: 'directory',
    constructId: 'Directory',
    indexes: [DUE],
  },
  {
    name: 'leads',
    constructId: 'Leads',
    indexes: [
      {
        name: 'byFunnel',
        hash: { name: 'funnelShard', type: 'S' },
        range: { name: 'submittedAt', type: 'S' },
        projection: 'keys',
      },
      DUE,
    ],
  },
  {
    name: 'training',
    constructId: 'Training',
    indexes: [
      DUE,
      // Separate from `due`, because one call can be in both: in the outbox for its score, and due for its recording.
      {
        name: 'outbox',
        hash: { name: 'outboxShard', type: 'S' },
        range: { name: 'outboxAt', type: 'S' },
        projection: 'keys',
      },
    ],
  },
  {
    name: 'analytics',
    constructId: 'Analytics',
    indexes: [
      {
        name: 'waiting',
        hash: { name: 'waitingShard', type: 'S' },
        range: { name: 'waitingSince', type: 'N' },
        projection: 'keys',
      },
    ],
  },
  // The construct id is not `Uploads`, because the bucket of uploads has that id.
  { name: 'uploads', constructId: 'UploadRecords', indexes: [DUE] },
  { name: 'limits', constructId: 'Limits', indexes: [] },
  { name: 'webhooks', constructId: 'Webhooks', indexes: [] },
  {
    name: 'deliveries',
    constructId: 'Deliveries',
    indexes: [
      DUE,
      {
        name: 'lanesByEndpoint',
        hash: { name: 'laneEndpoint', type: 'S' },
        range: { name: 'nextAt', type: 'S' },
        projection: 'keys',
      },
      {
        name: 'byMessage',
        hash: { name: 'messageId', type: 'S' },
        range: { name: 'firstAttemptAt', type: 'S' },
        projection: 'keys',
      },
    ],
  },
  { name: 'notifications', constructId: 'Notifications', indexes: [DUE] },
];
