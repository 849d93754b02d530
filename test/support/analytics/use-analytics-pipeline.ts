import { join } from 'node:path';
import { deliverRecords } from '../../../infra/local/firehose/deliver-records.ts';
import { createErrorOutput } from '../../../infra/local/firehose/error-output.ts';
import { createS3LakeWriter } from '../../../infra/local/firehose/s3-writer.ts';
import { createParquetEventWriter } from '../../../infra/local/firehose/write-parquet.ts';
import { createDuckDbBaseRewriter } from '../../../shared/analytics/compaction/duckdb/duckdb-base-rewriter.ts';
import { runMajorCompactions } from '../../../shared/analytics/compaction/major-compaction.ts';
import { runMinorCompactions } from '../../../shared/analytics/compaction/minor-compaction.ts';
import type { EventRow } from '../../../shared/analytics/events/event-row.ts';
import { createDynamoFreshFactRepository } from '../../../shared/analytics/facts/aws/dynamo-fresh-facts.ts';
import { createDynamoManifestRepository } from '../../../shared/analytics/facts/aws/dynamo-manifests.ts';
import { createS3FactFileReader, createS3FactFileWriter } from '../../../shared/analytics/facts/aws/s3-fact-files.ts';
import { createDuckDbFactReader } from '../../../shared/analytics/facts/duckdb/duckdb-fact-reader.ts';
import { createDuckDbFactWriter } from '../../../shared/analytics/facts/duckdb/duckdb-fact-writer.ts';
import { createS3DeadLetterStore } from '../../../shared/analytics/ingest/aws/s3-dead-letters.ts';
import { consumeRecords } from '../../../shared/analytics/ingest/consume-records.ts';
import { readOverview } from '../../../shared/analytics/queries/overview.ts';
import { aPublishedFunnel } from '../cli/admin.ts';
import { ignoredMetrics } from '../platform/ignored-metrics.ts';
import { asNewProcess } from './analytics.ts';
import { aRecord } from './events.ts';
import { aLine } from './memory-stores.ts';
import { useAnalyticsStores } from './use-analytics-stores.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const clockAt = (ms: number) => ({ now: () => ms });

/**
 * Sets up analytics as deployed, over the stores of the test file. `tell` sends events with times of an hour ago. Their
 * facts are stored with the time of yesterday, so that a minor compaction is due.
 */
export function useAnalyticsPipeline() {
  const { root, stream } = useAnalyticsStores();
  const now = Date.now();
  const ports = asNewProcess({
    fresh: createDynamoFreshFactRepository(clockAt(now - DAY_MS)),
    manifests: createDynamoManifestRepository(),
    clock: clockAt(now),
    factReader: createDuckDbFactReader(createS3FactFileReader(), ignoredMetrics, { folder: join(root, 'copies') }),
    writer: createDuckDbFactWriter(createS3FactFileWriter(), { folder: join(root, 'drafts') }),
  });
  const lake = {
    events: createParquetEventWriter(createS3LakeWriter(), { folder: join(root, 'raw') }),
    errors: createErrorOutput(createS3LakeWriter()),
  };
  let records = 0;

  /** Delivers the events in one record to both consumers of the stream. */
  async function sendEvents(...events: Partial<EventRow>[]): Promise<void> {
    const lines = events.map((event, at) =>
      aLine({ time_ms: now - HOUR_MS + at, received_ms: now - HOUR_MS, ...event }),
    );
    await deliver(lines.join(''));
  }

  async function deliver(data: string): Promise<void> {
    const record = aRecord(data, ++records);
    await consumeRecords({ fresh: ports.fresh, deadLetters: createS3DeadLetterStore() }, [record]);
    await deliverRecords(lake, [record]);
  }

  const minor = () => runMinorCompactions(ports);
  const major = () => {
    const rewriter = createDuckDbBaseRewriter(
      { ...createS3FactFileReader(), ...createS3FactFileWriter() },
      { folder: join(root, 'bases') },
    );
    return runMajorCompactions({ ...ports, rewriter }, { isDue: () => true });
  };
  const range = { since: 0, untilMs: now + DAY_MS, timeZone: 'UTC' };
  const overview = (funnelId: string) => readOverview(ports, funnelId, { range, filters: {} });
  const sessionsOf = async (funnelId: string) =>
    (await overview(funnelId)).devices.reduce((sum, { total }) => sum + total, 0);
  return { root, stream, now, ports, tell: sendEvents, deliver, minor, major, overview, sessionsOf };
}

/** Stores a published funnel. `say` returns the fields of an event in this funnel. */
export async function aFunnel() {
  const { id } = await aPublishedFunnel();
  return { id, say: (session: string, kind: string) => ({ funnel_id: id, session_id: session, kind }) };
}
