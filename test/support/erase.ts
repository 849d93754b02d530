import { sessionKey } from '../../shared/analytics/events/session-key.ts';
import { setAsideJson } from '../../shared/analytics/events/set-aside.ts';
import type { ErasePorts } from '../../shared/analytics/upkeep/erase.ts';
import { aRecord } from './events.ts';
import { memoryObjects } from './stored-objects.ts';
import { alone } from './turns.ts';
import { FUNNEL } from './upkeep.ts';
import { type UpkeepWorld, upkeepWorld } from './upkeep-world.ts';

/** Everything that an erasure works on, in memory. */
export function eraseWorld() {
  const world = upkeepWorld();
  const [setAside, lake] = [memoryObjects(), memoryObjects()];
  const { stores, kept, raw, erasures } = world;
  const facts = {
    ...{ erasures, fresh: kept, manifests: stores.manifests, files: stores.files, writer: stores.writer },
    ...{
      objects: memoryObjects(),
      oldVersions: { remove: async () => 0 },
      holdsAny: async () => false,
      clock: stores.clock,
    },
  };
  const ports: ErasePorts = { facts, raw, erasures, setAside, lake, inTurn: alone };
  let records = 0;
  const putAside = (data: string | Uint8Array) =>
    setAside.put(`set-aside/events/s/${++records}.json`, Buffer.from(setAsideJson(aRecord(data, records), 'why')), '');
  const fail = (data: string | Uint8Array) => {
    const line = { attemptsMade: 1, lastErrorMessage: 'why', rawData: Buffer.from(data).toString('base64') };
    return lake.put(`errors/events/x/${++records}`, Buffer.from(`${JSON.stringify(line)}\n`), '');
  };
  /** What the records waiting for an operator hold. */
  const waiting = () =>
    [...setAside.stored.values(), ...lake.stored.values()].map((bytes) => {
      const { data, rawData } = JSON.parse(Buffer.from(bytes).toString());
      return Buffer.from(data ?? rawData, 'base64').toString();
    });
  return { ...world, ports, putAside, fail, waiting, setAside, lake };
}

/** What the sessions of these ids are counted by. */
export const keysOf = (...sessions: string[]) => sessions.map((id) => sessionKey(FUNNEL, id));

/** The session keys of everything that is stored of the funnel and can be read. */
export async function keysStored({ kept, stores, raw }: UpkeepWorld): Promise<Set<bigint>> {
  const fresh = (await kept.read(FUNNEL)).flatMap(({ facts }) => facts);
  const listed = await stores.files.read((await stores.manifests.read(FUNNEL)).files);
  const rows = [...raw.stored.values()].flat().map((row) => sessionKey(row.funnel_id, row.session_id));
  return new Set([...[...fresh, ...listed].map((fact) => fact.sessionKey), ...rows]);
}
