import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startObjectStore } from '../../../../infra/local/s3/server.ts';
import { importFacts } from '../../../../infra/local/seed/import-facts.ts';
import { runMinorCompactions } from '../../../../shared/analytics/compaction/minor-compaction.ts';
import { createDynamoFreshFactRepository } from '../../../../shared/analytics/facts/aws/dynamo-fresh-facts.ts';
import { createDynamoManifestRepository } from '../../../../shared/analytics/facts/aws/dynamo-manifests.ts';
import {
  createS3FactFileReader,
  createS3FactFileWriter,
} from '../../../../shared/analytics/facts/aws/s3-fact-files.ts';
import { createDuckDbFactReader } from '../../../../shared/analytics/facts/duckdb/duckdb-fact-reader.ts';
import { createDuckDbFactWriter } from '../../../../shared/analytics/facts/duckdb/duckdb-fact-writer.ts';
import { factObjectKey } from '../../../../shared/analytics/facts/fact-files.ts';
import { readOverview } from '../../../../shared/analytics/queries/overview.ts';
import {
  addFresh,
  aFact,
  asNewProcess,
  DAY_MS,
  expectedOverview,
  MAY_31,
  someEvent,
  someFilters,
} from '../../../support/analytics/analytics.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { ignoredMetrics } from '../../../support/platform/ignored-metrics.ts';

useDynamo();

const root = mkdtempSync(join(tmpdir(), 'stores-'));
afterAll(() => rmSync(root, { recursive: true }));
beforeAll(async () => {
  const port = await startObjectStore(join(root, 'objects'), 'facts');
  // The S3 stand-in accepts only this access key.
  const credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };
  Object.assign(process.env, {
    ...credentials,
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    FACTS_BUCKET: 'facts',
  });
});

const ports = asNewProcess({
  fresh: createDynamoFreshFactRepository({ now: () => MAY_31 - DAY_MS }),
  manifests: createDynamoManifestRepository(),
  factReader: createDuckDbFactReader(createS3FactFileReader(), ignoredMetrics, { folder: join(root, 'copies') }),
  writer: createDuckDbFactWriter(createS3FactFileWriter(), { folder: join(root, 'drafts') }),
  clock: { now: () => MAY_31 },
});
const range = { since: 0, untilMs: MAY_31 + 9 * DAY_MS, timeZone: 'UTC' };

test('with facts in DynamoDB and in Parquet files in S3, the overview matches the events', async () => {
  const someEvents = fc.array(someEvent, { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(someEvents, someEvents, someEvents, someFilters, async (imported, compacted, fresh, filters) => {
      const funnelId = randomUUID();
      const events = [...imported, ...compacted, ...fresh];
      await importFacts(ports, funnelId, imported);
      for (const event of compacted) await addFresh(ports.fresh, funnelId, [event]);
      const [compaction] = await runMinorCompactions(ports);
      expect(compaction).toMatchObject({ funnelId, outcome: 'compacted' });
      expect(await ports.fresh.read(funnelId)).toEqual([]);
      await addFresh(ports.fresh, funnelId, fresh);
      for (const given of [{}, filters]) {
        const read = await readOverview(ports, funnelId, { range, filters: given });
        expect(read).toEqual(expectedOverview(events, { sinceMs: 0, untilMs: range.untilMs, filters: given }));
      }
      await runMinorCompactions(ports);
    }),
    { numRuns: 10 },
  );
});

test('the S3 key of a fact file begins with facts/funnel_id= and the id of the funnel, and contains only ASCII', async () => {
  const funnelId = randomUUID();
  const file = await ports.writer.write(funnelId, [aFact()], 0);
  expect(factObjectKey(file)).toMatch(new RegExp(`^facts/funnel_id=${funnelId}/[0-9A-Z]{26}\\.parquet$`));
  expect((await createS3FactFileReader().get(file.name)).length).toBe(file.bytes);
});

test('reading a missing fact file throws', async () => {
  const file = await ports.writer.write(randomUUID(), [aFact()], 0);
  await expect(ports.factReader.read([{ ...file, name: `${randomUUID()}/none` }])).rejects.toThrow();
});
