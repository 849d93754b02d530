type KeyType = 'S' | 'N';

export type TableIndex = {
  name: string;
  hash: { name: string; type: KeyType };
  range: { name: string; type: KeyType };
  /** `keys`: only the keys are copied, which makes a write to it cheap. */
  projection: 'all' | 'keys';
};

export type TableShape = {
  name: TableName;
  /** In the data stack; it must not change, as CloudFormation would make a new table. */
  constructId: string;
  indexes: readonly TableIndex[];
};

export type TableName = 'directory' | 'leads' | 'training' | 'analytics' | 'uploads' | 'limits';

/** Every table's key; both parts are strings. */
export const TABLE_KEYS = { hash: 'pk', range: 'sk' } as const;

/** The attribute of every table by which DynamoDB removes old items: epoch seconds. */
export const EXPIRY_ATTRIBUTE = 'expiresAt';

/** What has something done to it when its time comes; others are not in it. */
const DUE: TableIndex = {
  name: 'due',
  hash: { name: 'dueShard', type: 'S' },
  range: { name: 'dueAt', type: 'S' },
  projection: 'keys',
};

/** The tables as CDK deploys them and as the local runtime creates them. Indexes are sharded by hand, so that none has a hot key. */
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
    ],
  },
  {
    name: 'training',
    constructId: 'Training',
    indexes: [DUE],
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
  // The bucket has the id `Uploads`.
  { name: 'uploads', constructId: 'UploadRecords', indexes: [DUE] },
  { name: 'limits', constructId: 'Limits', indexes: [] },
];
