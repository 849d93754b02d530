import { join } from 'node:path';
import { compactDue } from '../../shared/analytics/compaction/compact.ts';
import { compactBases } from '../../shared/analytics/compaction/compact-base.ts';
import { duckdbBaseRewriter } from '../../shared/analytics/compaction/duckdb-base-rewriter.ts';
import { s3SetAside } from '../../shared/analytics/events/s3-set-aside.ts';
import type { StoredEvent } from '../../shared/analytics/events/stored-event.ts';
import { aggregate } from '../../shared/analytics/facts/aggregate.ts';
import { duckdbFactReader } from '../../shared/analytics/facts/duckdb-fact-reader.ts';
import { duckdbFactWriter } from '../../shared/analytics/facts/duckdb-fact-writer.ts';
import { dynamoFreshFacts } from '../../shared/analytics/facts/dynamo-fresh-facts.ts';
import { dynamoManifests } from '../../shared/analytics/facts/dynamo-manifests.ts';
import { s3FactObjectReader, s3FactObjectWriter } from '../../shared/analytics/facts/s3-fact-objects.ts';
import { duckdbRawEventWriter } from '../../shared/analytics/lake/duckdb-raw-event-writer.ts';
import { keepRecords } from '../../shared/analytics/lake/keep-records.ts';
import { lakeErrors } from '../../shared/analytics/lake/lake-errors.ts';
import { s3LakeObjectWriter } from '../../shared/analytics/lake/s3-lake-objects.ts';
import { readOverview } from '../../shared/analytics/reads/overview.ts';
import { useAnalyticsStores } from './analytics-stores.ts';
import { aPublishedFunnel } from './cli/admin.ts';
import { aRecord } from './events.ts';
import { aLine } from './upkeep.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const clockAt = (ms: number) => ({ now: () => ms });

/** Analytics as they are deployed, over stores of the file's own. What `tell` brings arrived a day ago. */
export function useToldAnalytics() {
  const { root, stream } = useAnalyticsStores();
  const now = Date.now();
  const ports = {
    ...{ fresh: dynamoFreshFacts(clockAt(now - DAY_MS)), manifests: dynamoManifests(), clock: clockAt(now) },
    files: duckdbFactReader(s3FactObjectReader(), { folder: join(root, 'copies') }),
    writer: duckdbFactWriter(s3FactObjectWriter(), { folder: join(root, 'drafts') }),
  };
  const lake = {
    events: duckdbRawEventWriter(s3LakeObjectWriter(), { folder: join(root, 'raw') }),
    errors: lakeErrors(s3LakeObjectWriter()),
  };
  let records = 0;

  /** As the stream brings them to both of its consumers. */
  async function tell(...events: Partial<StoredEvent>[]): Promise<void> {
    const said = events.map((event, at) =>
      aLine({ time_ms: now - HOUR_MS + at, received_ms: now - HOUR_MS, ...event }),
    );
    await deliver(said.join(''));
  }

  async function deliver(data: string): Promise<void> {
    const record = aRecord(data, ++records);
    await aggregate({ fresh: ports.fresh, setAside: s3SetAside() }, [record]);
    await keepRecords(lake, [record]);
  }

  const minor = () => compactDue(ports);
  const major = () => {
    const rewriter = duckdbBaseRewriter(
      { ...s3FactObjectReader(), ...s3FactObjectWriter() },
      { folder: join(root, 'bases') },
    );
    return compactBases({ ...ports, rewriter }, { isDue: () => true });
  };
  const range = { since: 0, untilMs: now + DAY_MS, timeZone: 'UTC' };
  const overview = (funnelId: string) => readOverview(ports, funnelId, { range, filters: {} });
  const sessionsOf = async (funnelId: string) =>
    (await overview(funnelId)).devices.reduce((sum, { total }) => sum + total, 0);
  return { root, stream, now, ports, tell, deliver, minor, major, overview, sessionsOf };
}

/** A published funnel, and what its visitors say. */
export async function aFunnel() {
  const { id } = await aPublishedFunnel();
  return { id, say: (session: string, kind: string) => ({ funnel_id: id, session_id: session, kind }) };
}
