import { randomUUID } from 'node:crypto';
import { createHandler as createAcquisition } from '../../../functions/analytics/acquisition/handler.ts';
import { acquisitionOperation } from '../../../functions/analytics/acquisition/operation.ts';
import type { AnalyticsPorts } from '../../../functions/analytics/analytics-endpoint.ts';
import { createHandler as createOverview } from '../../../functions/analytics/overview/handler.ts';
import { overviewOperation } from '../../../functions/analytics/overview/operation.ts';
import { createHandler as createTimeseries } from '../../../functions/analytics/timeseries/handler.ts';
import { timeseriesOperation } from '../../../functions/analytics/timeseries/operation.ts';
import type { Filters } from '../../../shared/analytics/facts/criteria.ts';
import type { Fact } from '../../../shared/analytics/facts/fact.ts';
import type { ApiGatewayHandler } from '../../../shared/http/handler.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import type { Organization } from '../../../shared/organizations/organization.ts';
import { caller } from '../http.ts';
import { anOrganization } from '../organizations/members.ts';
import { addFresh, createMemoryAnalytics, DAY_MS, MAY_31 } from './analytics.ts';

export const TEN_O_CLOCK = MAY_31 + (10 / 24) * DAY_MS;

export type Query = Record<string, string | string[]>;

export const asQuery = (filters: Filters): Record<string, string> =>
  Object.fromEntries(Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

type Given = { facts?: readonly Fact[]; now?: number; timezone?: string; ports?: Partial<AnalyticsPorts> };

/** Sets up an organization with one funnel, whose facts are all fresh, and an analytics operation. */
export async function analyticsApi(
  declared: Operation,
  createHandler: (ports: AnalyticsPorts) => ApiGatewayHandler,
  { facts = [], now = TEN_O_CLOCK, timezone = 'UTC', ports = {} }: Given = {},
) {
  const organization = anOrganization();
  const { orgId } = organization;
  const funnelId = randomUUID();
  const stores = createMemoryAnalytics();
  const known: Organization = { id: orgId, name: 'Example', timezone, limits: {}, retention: {} };
  const clock = { ms: now };
  const reads: string[] = [];
  const add = async (...more: Fact[]) => {
    for (const fact of more) await addFresh(stores.fresh, funnelId, [fact]);
  };
  await add(...facts);
  const handler = createHandler({
    ...stores,
    fresh: {
      read: (id) => {
        reads.push(id);
        return stores.fresh.read(id);
      },
    },
    authorization: organization.authorization,
    organizations: { find: async (id) => (id === orgId ? known : undefined) },
    funnels: { ownsFunnel: async (org, funnel) => org === orgId && funnel === funnelId },
    clock: { now: () => clock.ms },
    ...ports,
  });
  const send = caller(declared, handler);
  const get = (query: Query = {}, headers: Record<string, string> = {}, path: Record<string, string> = {}) =>
    send({ path: { orgId, funnelId, ...path }, query, headers: { ...organization.as('member'), ...headers } });
  /** `reads`: the funnel id of each read of fresh facts. `known`: the organization, which tests may change. */
  return { ...organization, funnelId, known, clock, reads, add, send, get };
}

/** The three analytics operations, each with its name and its set-up. */
export const ANALYTICS_READS = (
  [
    [overviewOperation, createOverview],
    [timeseriesOperation, createTimeseries],
    [acquisitionOperation, createAcquisition],
  ] as const
).map(([declared, createHandler]) => ({
  name: declared.id.replace('analytics/', ''),
  setUp: (given?: Given) => analyticsApi(declared, createHandler, given),
}));
