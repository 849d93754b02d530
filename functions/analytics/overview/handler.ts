import { duckdbFactReader } from '../../../shared/analytics/facts/duckdb-fact-reader.ts';
import { dynamoFreshReader } from '../../../shared/analytics/facts/dynamo-fresh-facts.ts';
import { dynamoManifestReader } from '../../../shared/analytics/facts/dynamo-manifests.ts';
import { s3FactObjectReader } from '../../../shared/analytics/facts/s3-fact-objects.ts';
import { readOverview } from '../../../shared/analytics/reads/overview.ts';
import { rangeOf } from '../../../shared/analytics/reads/range.ts';
import type { SnapshotPorts } from '../../../shared/analytics/reads/snapshot.ts';
import { dynamoOrganizations } from '../../../shared/directory/dynamo-organizations.ts';
import type { Organizations } from '../../../shared/directory/organization.ts';
import { awsGate } from '../../../shared/http/aws-gate.ts';
import type { Gate } from '../../../shared/http/gate.ts';
import { Problem } from '../../../shared/http/problem.ts';
import { memberReadEndpoint } from '../../../shared/http/read-endpoint.ts';
import { type Clock, systemClock } from '../../../shared/platform/clock.ts';
import { overview } from './operation.ts';

type Ports = SnapshotPorts & { gate: Gate; organizations: Organizations; clock: Clock };

export const createHandler = (ports: Ports) =>
  memberReadEndpoint(overview, ports.gate, async ({ path, query }) => {
    const [organization, owned] = await Promise.all([
      ports.organizations.find(path.orgId),
      ports.organizations.ownsFunnel(path.orgId, path.funnelId),
    ]);
    const range = rangeOf(query, query.timezone ?? organization?.timezone ?? 'UTC', ports.clock.now());
    if (!owned) throw new Problem(404, 'The organization has no such funnel.');
    return readOverview(ports, path.funnelId, { range, filters: query });
  });

export const handler = createHandler({
  gate: awsGate(),
  organizations: dynamoOrganizations(),
  fresh: dynamoFreshReader(),
  manifests: dynamoManifestReader(),
  files: duckdbFactReader(s3FactObjectReader()),
  clock: systemClock,
});
