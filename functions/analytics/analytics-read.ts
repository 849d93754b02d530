import type * as z from 'zod/mini';
import { dynamoFreshReader } from '../../shared/analytics/facts/dynamo-fresh-facts.ts';
import { dynamoManifestReader } from '../../shared/analytics/facts/dynamo-manifests.ts';
import { lazyFactReader } from '../../shared/analytics/facts/lazy-fact-reader.ts';
import { s3FactObjectReader } from '../../shared/analytics/facts/s3-fact-objects.ts';
import type { AnalyticsQuery } from '../../shared/analytics/reads/analytics-query.ts';
import type { Granularity } from '../../shared/analytics/reads/buckets.ts';
import { rangeOf } from '../../shared/analytics/reads/range.ts';
import type { Question } from '../../shared/analytics/reads/select-sessions.ts';
import type { SnapshotPorts } from '../../shared/analytics/reads/snapshot.ts';
import { awsGate } from '../../shared/http/aws-gate.ts';
import type { HttpHandler, Reply } from '../../shared/http/call.ts';
import type { Gate } from '../../shared/http/gate.ts';
import type { Operation, OperationSpec } from '../../shared/http/operation.ts';
import type { OrgFunnelPath } from '../../shared/http/organization-paths.ts';
import { Problem } from '../../shared/http/problem.ts';
import { memberReadEndpoint } from '../../shared/http/read-endpoint.ts';
import { createDynamoOrganizationRepository } from '../../shared/organizations/aws/dynamo-organization-repository.ts';
import type { OrganizationRepository } from '../../shared/organizations/organization.ts';
import { type Clock, systemClock } from '../../shared/platform/clock.ts';

export type AnalyticsPorts = SnapshotPorts & { gate: Gate; organizations: OrganizationRepository; clock: Clock };

type AnalyticsSpec = OperationSpec & {
  body: 'none';
  request: { path: typeof OrgFunnelPath; query: z.ZodMiniObject & z.ZodMiniType<AnalyticsQuery> };
};

type Read<S extends OperationSpec> = (
  ports: SnapshotPorts,
  funnelId: string,
  question: Question & { granularity?: Granularity | undefined },
) => Promise<Reply<S>>;

/** The endpoint of a read: its range in the query's time zone, else the organization's, of a funnel that is theirs. */
export const analyticsRead = <S extends AnalyticsSpec>(
  declared: Operation<S>,
  ports: AnalyticsPorts,
  read: Read<S>,
): HttpHandler =>
  memberReadEndpoint(declared, ports.gate, async ({ path, query }) => {
    const [organization, owned] = await Promise.all([
      ports.organizations.find(path.orgId),
      ports.organizations.ownsFunnel(path.orgId, path.funnelId),
    ]);
    const range = rangeOf(query, query.timezone ?? organization?.timezone ?? 'UTC', ports.clock.now());
    if (!owned) throw new Problem(404, 'There is no funnel with this id in the organization (path.funnelId).');
    return read(ports, path.funnelId, { range, filters: query, granularity: query.granularity });
  });

export const deployedPorts = (): AnalyticsPorts => ({
  gate: awsGate(),
  organizations: createDynamoOrganizationRepository(),
  fresh: dynamoFreshReader(),
  manifests: dynamoManifestReader(),
  files: lazyFactReader(async () => {
    const { duckdbFactReader } = await import('../../shared/analytics/facts/duckdb-fact-reader.ts');
    return duckdbFactReader(s3FactObjectReader());
  }),
  clock: systemClock,
});
