import type { EventRow } from '../../../shared/analytics/events/event-row.ts';
import { createDynamoManifestRepository } from '../../../shared/analytics/facts/aws/dynamo-manifests.ts';
import { createS3FactFileWriter } from '../../../shared/analytics/facts/aws/s3-fact-files.ts';
import { createDuckDbFactWriter } from '../../../shared/analytics/facts/duckdb/duckdb-fact-writer.ts';
import { reduceEventsToFacts } from '../../../shared/analytics/facts/reduce-events-to-facts.ts';
import { arrivalDateOf } from '../../../shared/analytics/raw-events/raw-event-files.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createS3LakeWriter } from '../firehose/s3-writer.ts';
import { createParquetEventWriter } from '../firehose/write-parquet.ts';
import { importFacts } from './import-facts.ts';

/** Writes events to the lake, one file per day, and their facts to fact files. */
export async function seedSessions(events: readonly EventRow[]): Promise<void> {
  const lake = createParquetEventWriter(createS3LakeWriter());
  for (const [arrivalDate, rows] of Map.groupBy(events, arrivalDateOf)) await lake.write(arrivalDate, rows);
  const ports = {
    writer: createDuckDbFactWriter(createS3FactFileWriter()),
    manifests: createDynamoManifestRepository(),
    clock: systemClock,
  };
  const completeUntilMs = systemClock.now();
  for (const [funnelId, facts] of reduceEventsToFacts(events))
    await importFacts(ports, funnelId, facts, { completeUntilMs });
}
