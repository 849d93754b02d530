import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod';
import { dynamo } from '../platform/clients.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { config } from '../platform/config.ts';
import { timedCache } from '../platform/timed-cache.ts';
import { Funnel, type Funnels, FunnelVersion } from './funnel.ts';
import { type Memberships, Organization, type Organizations, ROLES, type Role } from './organization.ts';

const POINTER_MS = 30_000;
const ENTRIES_MAX = 1_000;

const key = {
  organization: (orgId: string) => ({ pk: `org#${orgId}`, sk: 'organization' }),
  member: (orgId: string, userId: string) => ({ pk: `org#${orgId}`, sk: `member#${userId}` }),
  orgFunnel: (orgId: string, funnelId: string) => ({ pk: `org#${orgId}`, sk: `funnel#${funnelId}` }),
  funnel: (funnelId: string) => ({ pk: `funnel#${funnelId}`, sk: 'funnel' }),
  version: (funnelId: string, versionId: string) => ({ pk: `funnel#${funnelId}`, sk: `version#${versionId}` }),
};

type Key = { pk: string; sk: string };

async function read(at: Key, consistent: boolean): Promise<Record<string, unknown> | undefined> {
  const answer = await dynamo().send(
    new GetCommand({ TableName: config('directoryTable'), Key: at, ConsistentRead: consistent }),
  );
  return answer.Item;
}

async function readAs<T>(schema: z.ZodType<T>, at: Key): Promise<T | undefined> {
  const item = await read(at, false);
  return item === undefined ? undefined : schema.parse(item);
}

export function dynamoFunnels(clock: Clock = systemClock): Funnels {
  const funnels = timedCache<Funnel>({ clock, ttlMs: POINTER_MS, entriesMax: ENTRIES_MAX });
  const versions = timedCache<FunnelVersion>({ clock, ttlMs: Number.POSITIVE_INFINITY, entriesMax: ENTRIES_MAX });
  return {
    find: (funnelId) => funnels(funnelId, () => readAs(Funnel, key.funnel(funnelId))),
    version: (funnelId, versionId) =>
      versions(`${funnelId}/${versionId}`, () => readAs(FunnelVersion, key.version(funnelId, versionId))),
  };
}

export function dynamoOrganizations(clock: Clock = systemClock): Organizations {
  const organizations = timedCache<Organization>({ clock, ttlMs: POINTER_MS, entriesMax: ENTRIES_MAX });
  const owned = timedCache<true>({ clock, ttlMs: POINTER_MS, entriesMax: ENTRIES_MAX });
  return {
    find: (orgId) => organizations(orgId, () => readAs(Organization, key.organization(orgId))),
    ownsFunnel: async (orgId, funnelId) => {
      const found = await owned(`${orgId}/${funnelId}`, async () =>
        (await read(key.orgFunnel(orgId, funnelId), false)) === undefined ? undefined : true,
      );
      return found ?? false;
    },
  };
}

/** Read each time and strongly consistent: whoever was removed is out with the next request. */
export function dynamoMemberships(): Memberships {
  return {
    roleOf: async (orgId, userId) => {
      const role = (await read(key.member(orgId, userId), true))?.role;
      return ROLES.find((known) => known === role);
    },
  };
}

/** Writes directory records: seeds and the operator's tools. */
export function dynamoDirectoryWriter() {
  const put = async (at: Key, item: object) => {
    await dynamo().send(new PutCommand({ TableName: config('directoryTable'), Item: { ...at, ...item } }));
  };
  return {
    putOrganization: (organization: Organization) => put(key.organization(organization.id), organization),
    putMember: (orgId: string, userId: string, role: Role) => put(key.member(orgId, userId), { orgId, userId, role }),
    /** The version first, so that the funnel never points at one that is not there. */
    publishFunnel: async (funnel: Funnel, version: FunnelVersion) => {
      await put(key.version(funnel.id, version.id), version);
      await put(key.orgFunnel(funnel.orgId, funnel.id), { orgId: funnel.orgId, funnelId: funnel.id });
      await put(key.funnel(funnel.id), funnel);
    },
  };
}
