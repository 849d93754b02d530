import { factObjectKey } from '../../shared/analytics/facts/fact-files.ts';
import type { Manifests } from '../../shared/analytics/facts/manifest.ts';

/** An object of the lake that a query reads. */
export type LakeFile = { key: string; bytes: number };

/** The buckets of facts and of raw events. */
export type LakeObjects = {
  facts(): AsyncIterable<LakeFile>;
  events(): AsyncIterable<LakeFile>;
  /** @throws ObjectGone when it was removed since it was listed */
  get(key: string): Promise<Uint8Array | AsyncIterable<Uint8Array>>;
};

/** The object was replaced by another: the list is old. */
export class ObjectGone extends Error {
  override readonly name = 'ObjectGone';
}

export type LakePorts = { objects: LakeObjects; manifests: Pick<Manifests, 'read'> };

/** What is not named like this was not written by the service, and its name is not used for a path either. */
const FACTS = /^facts\/funnel_id=([0-9a-f-]{36})\/[0-9A-Z]{26}\.parquet$/;
const EVENTS = /^events\/arrival_date=\d{4}-\d{2}-\d{2}\/[\w-]+\.parquet$/;
const MANIFESTS_AT_ONCE = 16;

/**
 * The files that hold the lake's rows now: of facts those that each funnel's manifest lists, as others may hold what was
 * erased since.
 */
export async function listLake({ objects, manifests }: LakePorts): Promise<{ facts: LakeFile[]; events: LakeFile[] }> {
  const funnels = new Set<string>();
  for await (const { key } of objects.facts()) {
    const funnelId = FACTS.exec(key)?.[1];
    if (funnelId !== undefined) funnels.add(funnelId);
  }
  const facts: LakeFile[] = [];
  const ids = [...funnels];
  for (let at = 0; at < ids.length; at += MANIFESTS_AT_ONCE) {
    const read = await Promise.all(ids.slice(at, at + MANIFESTS_AT_ONCE).map((id) => manifests.read(id)));
    for (const { files } of read) facts.push(...files.map((file) => ({ key: factObjectKey(file), bytes: file.bytes })));
  }
  const events: LakeFile[] = [];
  for await (const file of objects.events()) if (EVENTS.test(file.key)) events.push(file);
  return { facts, events };
}
