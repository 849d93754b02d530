import type * as z from 'zod/mini';
import { createDynamoFreshFactReader } from '../../shared/analytics/facts/aws/dynamo-fresh-facts.ts';
import { createDynamoManifestReader } from '../../shared/analytics/facts/aws/dynamo-manifests.ts';
import { createS3FactFileReader } from '../../shared/analytics/facts/aws/s3-fact-files.ts';
import { createLazyFactReader } from '../../shared/analytics/facts/lazy-fact-reader.ts';
import type { AnyAnalyticsQuery } from '../../shared/analytics/queries/analytics-query.ts';
import { createDirtySessionCache } from '../../shared/analytics/queries/dirty-sessions.ts';
import { toFilters } from '../../shared/analytics/queries/filters.ts';
import { resolveRange } from '../../shared/analytics/queries/range.ts';
import type { AnalyticsCriteria } from '../../shared/analytics/queries/resolve-criteria.ts';
import type { SnapshotPorts } from '../../shared/analytics/queries/snapshot.ts';
import { createDynamoFunnelOwnershipRepository } from '../../shared/funnels/aws/dynamo-funnel-repository.ts';
import type { OrganizationFunnelPath } from '../../shared/funnels/paths.ts';
import type { FunnelOwnershipRepository } from '../../shared/funnels/ports.ts';
import type { Authorization } from '../../shared/http/authorizer.ts';
import { authorizedBodylessEndpoint } from '../../shared/http/bodyless-endpoint.ts';
import { HttpError } from '../../shared/http/errors.ts';
import type { ApiGatewayHandler, ResponseBody } from '../../shared/http/handler.ts';
import type { Operation, OperationDeclaration } from '../../shared/http/operation.ts';
import { createDynamoOrganizationRepository } from '../../shared/organizations/aws/dynamo-organization-repository.ts';
import type { Role } from '../../shared/organizations/membership.ts';
import { DEFAULT_TIME_ZONE } from '../../shared/organizations/organization.ts';
import type { OrganizationRepository } from '../../shared/organizations/ports.ts';
import { type Clock, systemClock } from '../../shared/platform/clock.ts';
import { createJsonLogger } from '../../shared/platform/logger.ts';
import type { ServiceOperation, ServiceOperationDeclaration } from '../declare-operation.ts';
import { createAwsAuthorization } from '../wiring/authorization.ts';

export type AnalyticsPorts = SnapshotPorts & {
  authorization: Authorization<Role>;
  organizations: OrganizationRepository;
  funnels: FunnelOwnershipRepository;
  clock: Clock;
};

type AnalyticsDeclaration = ServiceOperationDeclaration & {
  body: 'none';
  request: { path: typeof OrganizationFunnelPath; query: z.ZodMiniObject & z.ZodMiniType<AnyAnalyticsQuery> };
};

type Read<D extends OperationDeclaration> = (
  ports: SnapshotPorts,
  funnelId: string,
  criteria: AnalyticsCriteria,
) => Promise<ResponseBody<D>>;

/**
 * Responds with 404 if the funnel does not belong to the organization. Resolves the time range in the time zone of the
 * query. If the query has no time zone, uses the time zone of the organization.
 */
export const createAnalyticsEndpoint = <D extends AnalyticsDeclaration>(
  operation: Operation<D>,
  ports: AnalyticsPorts,
  read: Read<D>,
): ApiGatewayHandler =>
  authorizedBodylessEndpoint(operation, ports.authorization, async ({ path, query }) => {
    const [organization, isOwned] = await Promise.all([
      ports.organizations.find(path.orgId),
      ports.funnels.ownsFunnel(path.orgId, path.funnelId),
    ]);
    // Resolve the range before the 404, because an invalid range gets a 400 even if the funnel does not exist.
    const range = resolveRange(query, query.timezone ?? organization?.timezone ?? DEFAULT_TIME_ZONE, ports.clock.now());
    if (!isOwned) throw new HttpError(404, 'There is no funnel with this id in the organization (path.funnelId).');
    return read(ports, path.funnelId, { range, filters: toFilters(query), granularity: query.granularity });
  });

export function createAwsAnalyticsPorts(operation: ServiceOperation): AnalyticsPorts {
  const factReader = createLazyFactReader(async () => {
    const { createDuckDbFactReader } = await import('../../shared/analytics/facts/duckdb/duckdb-fact-reader.ts');
    return createDuckDbFactReader(createS3FactFileReader(), createJsonLogger({ function: operation.id }));
  });
  return {
    authorization: createAwsAuthorization(),
    organizations: createDynamoOrganizationRepository(),
    funnels: createDynamoFunnelOwnershipRepository(),
    fresh: createDynamoFreshFactReader(),
    manifests: createDynamoManifestReader(),
    factReader,
    dirtySessionCache: createDirtySessionCache(factReader),
    clock: systemClock,
  };
}
