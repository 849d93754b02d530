import type { EraseSessionsPorts } from '../../../infra/cli/analytics/erasure/erase-sessions.ts';
import { sessionKey } from '../../../shared/analytics/events/session-key.ts';
import { encodeDeadLetter } from '../../../shared/analytics/ingest/dead-letters.ts';
import { withUncontendedLease } from '../platform/lease.ts';
import { createMemoryObjectStore } from '../platform/memory-object-store.ts';
import { aRecord } from './events.ts';
import { createMaintenanceWorld, type MaintenanceWorld } from './maintenance-world.ts';
import { FUNNEL } from './memory-stores.ts';

/** Creates the in-memory stores from which an erasure removes data. */
export function createErasureWorld() {
  const world = createMaintenanceWorld();
  const [deadLetters, lake] = [createMemoryObjectStore(), createMemoryObjectStore()];
  const { stores, kept, raw, tombstones } = world;
  const facts = {
    tombstones,
    fresh: kept,
    manifests: stores.manifests,
    factReader: stores.factReader,
    writer: stores.writer,
    objects: createMemoryObjectStore(),
    oldVersions: { remove: async () => 0 },
    containsAnySession: async () => false,
    clock: stores.clock,
  };
  const ports: EraseSessionsPorts = {
    facts,
    raw,
    tombstones,
    deadLetters,
    lake,
    withLease: withUncontendedLease,
  };
  let records = 0;
  const putAside = (data: string | Uint8Array) =>
    deadLetters.put(
      `set-aside/events/s/${++records}.json`,
      Buffer.from(encodeDeadLetter(aRecord(data, records), 'why')),
      '',
    );
  const fail = (data: string | Uint8Array) => {
    const line = { attemptsMade: 1, lastErrorMessage: 'why', rawData: Buffer.from(data).toString('base64') };
    return lake.put(`errors/events/x/${++records}`, Buffer.from(`${JSON.stringify(line)}\n`), '');
  };
  /** Returns the contents of the dead letters and of the records that Firehose could not convert. */
  const waiting = () =>
    [...deadLetters.stored.values(), ...lake.stored.values()].map((bytes) => {
      const { data, rawData } = JSON.parse(Buffer.from(bytes).toString());
      return Buffer.from(data ?? rawData, 'base64').toString();
    });
  return { ...world, ports, putAside, fail, waiting, deadLetters, lake };
}

export const keysOf = (...sessions: string[]) => sessions.map((id) => sessionKey(FUNNEL, id));

/** Returns the session keys in fresh facts, in files that the manifest lists, and in raw events. */
export async function keysStored({ kept, stores, raw }: MaintenanceWorld): Promise<Set<bigint>> {
  const fresh = (await kept.read(FUNNEL)).flatMap(({ facts }) => facts);
  const listed = await stores.factReader.read((await stores.manifests.read(FUNNEL)).files);
  const rows = [...raw.stored.values()].flat().map((row) => sessionKey(row.funnel_id, row.session_id));
  return new Set([...[...fresh, ...listed].map((fact) => fact.sessionKey), ...rows]);
}
