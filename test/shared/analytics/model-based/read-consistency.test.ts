import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { runMinorCompactions } from '../../../../shared/analytics/compaction/minor-compaction.ts';
import {
  createDynamoFreshFactReader,
  createDynamoFreshFactRepository,
} from '../../../../shared/analytics/facts/aws/dynamo-fresh-facts.ts';
import {
  createDynamoManifestReader,
  createDynamoManifestRepository,
} from '../../../../shared/analytics/facts/aws/dynamo-manifests.ts';
import { createDuckDbFactReader } from '../../../../shared/analytics/facts/duckdb/duckdb-fact-reader.ts';
import { createDuckDbFactWriter } from '../../../../shared/analytics/facts/duckdb/duckdb-fact-writer.ts';
import { readOverview } from '../../../../shared/analytics/queries/overview.ts';
import { dynamoClient, dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { aFact, asNewProcess, MAY_31 } from '../../../support/analytics/analytics.ts';
import { drafts, folder, objects } from '../../../support/analytics/duckdb-fact-store.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { ignoredMetrics } from '../../../support/platform/ignored-metrics.ts';

useDynamo();

/** The embedded DynamoDB is always consistent, so only the request shows whether the code requests consistency. */
type Sent = { command: string; ConsistentRead?: boolean; IndexName?: string; Key?: { sk: string } };
let sent: Sent[] = [];
let listening = false;

beforeEach(() => {
  sent = [];
  if (listening) return;
  listening = true;
  for (const client of [dynamoDocumentClient(), dynamoClient()])
    client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          sent.push({ command: commandName ?? '', ...(args.input as object) });
          return next(args);
        },
      { step: 'initialize' },
    );
});

const clock = { now: () => MAY_31 };
/** Number of facts. Together they have more than a megabyte, which is DynamoDB's page size. */
const FACTS = 6_000;
const range = { since: 0, untilMs: MAY_31 + 1, timeZone: 'UTC' };

/** A funnel with one fact in a file, and with fresh facts that fill several pages of a query. */
async function aFunnel() {
  const funnelId = randomUUID();
  const fresh = createDynamoFreshFactRepository({ now: () => MAY_31 - 86_400_000 });
  const ports = {
    fresh,
    manifests: createDynamoManifestRepository(),
    writer: createDuckDbFactWriter(objects, { folder: drafts }),
    clock,
  };
  await fresh.add(funnelId, { first: '1', last: '1' }, [aFact({ sessionKey: 1n })]);
  await runMinorCompactions(ports);
  const facts = Array.from({ length: FACTS }, (_, at) =>
    aFact({
      sessionKey: BigInt(at + 2),
      utmTerm: randomBytes(150).toString('hex'),
      utmContent: randomBytes(90).toString('hex'),
    }),
  );
  await fresh.add(funnelId, { first: '2', last: '9' }, facts);
  sent = [];
  return { funnelId, ports };
}

const reader = () =>
  asNewProcess({
    fresh: createDynamoFreshFactReader(),
    manifests: createDynamoManifestReader(),
    factReader: createDuckDbFactReader(objects, ignoredMetrics, { folder }),
  });
const sources = (): string =>
  sent.map(({ command, Key }) => (Key?.sk === 'manifest' ? 'manifest' : command.replace('Command', ''))).join(' ');

test('an overview uses strongly consistent reads and no index, and reads the manifest last', async () => {
  const { funnelId } = await aFunnel();
  const ports = reader();
  const everySession = [{ deviceType: 'desktop', total: FACTS + 1 }];
  for (const process of ['cold', 'warm']) {
    sent = [];
    const { devices } = await readOverview(ports, funnelId, { range, filters: {} });
    expect(devices.filter(({ total }) => total > 0)).toMatchObject(everySession);
    // A process without a cache reads the manifest first, to know the generation before it reads facts.
    expect(sources()).toMatch(
      process === 'cold' ? /^(manifest )?Query( Query)+ manifest$/ : /^Query( Query)+ manifest$/,
    );
    for (const request of sent) expect(request).toMatchObject({ ConsistentRead: true });
    for (const request of sent) expect(request).not.toHaveProperty('IndexName');
  }
});

test('minor compactions read strongly consistently, except from the index of pending items', async () => {
  const { funnelId, ports } = await aFunnel();
  await runMinorCompactions(ports);
  const reads = sent.filter(({ command }) =>
    ['GetItemCommand', 'QueryCommand', 'BatchGetItemCommand'].includes(command),
  );
  expect(reads.filter(({ IndexName }) => IndexName === undefined).length).toBeGreaterThanOrEqual(4);
  for (const { IndexName, ConsistentRead } of reads)
    expect(ConsistentRead).toBe(IndexName === undefined ? true : undefined);
  expect((await ports.manifests.read(funnelId)).files).toHaveLength(2);
  expect(await ports.fresh.read(funnelId)).toEqual([]);
});
