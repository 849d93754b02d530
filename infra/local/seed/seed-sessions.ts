import type { StoredEvent } from '../../../shared/analytics/events/stored-event.ts';
import { duckdbFactWriter } from '../../../shared/analytics/facts/duckdb-fact-writer.ts';
import { dynamoManifests } from '../../../shared/analytics/facts/dynamo-manifests.ts';
import { importFacts } from '../../../shared/analytics/facts/import-facts.ts';
import { reduceEvents } from '../../../shared/analytics/facts/reduce-events.ts';
import { s3FactObjectWriter } from '../../../shared/analytics/facts/s3-fact-objects.ts';
import { duckdbRawEventWriter } from '../../../shared/analytics/lake/duckdb-raw-event-writer.ts';
import { arrivalDateOf } from '../../../shared/analytics/lake/raw-event-files.ts';
import { s3LakeObjectWriter } from '../../../shared/analytics/lake/s3-lake-objects.ts';
import { systemClock } from '../../../shared/platform/clock.ts';

/** Writes events by the same code as production: into the lake, a file a day, and reduced to facts into files of facts. */
export async function seedSessions(events: readonly StoredEvent[]): Promise<void> {
  const lake = duckdbRawEventWriter(s3LakeObjectWriter());
  for (const [arrivalDate, rows] of Map.groupBy(events, arrivalDateOf)) await lake.write(arrivalDate, rows);
  const ports = { writer: duckdbFactWriter(s3FactObjectWriter()), manifests: dynamoManifests(), clock: systemClock };
  const completeUntilMs = systemClock.now();
  for (const [funnelId, facts] of reduceEvents(events)) await importFacts(ports, funnelId, facts, { completeUntilMs });
}
