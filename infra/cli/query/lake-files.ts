import { type FactFile, factObjectKey } from '../../../shared/analytics/facts/fact-files.ts';
import type { ManifestRepository, TombstoneRepository } from '../../../shared/analytics/facts/ports.ts';

/** An object that a query of the lake reads. */
export type LakeFile = {
  key: string;
  bytes: number;
  /** Digest of the bytes; absent if it is not known. */
  digest?: { algorithm: 'sha256' | 'md5'; hex: string };
};

/** The buckets of facts and of raw events. */
export type LakeObjects = {
  events(): AsyncIterable<LakeFile>;
  /** @throws LakeFileMissingError when the object was removed after it was listed */
  get(key: string): Promise<Uint8Array | AsyncIterable<Uint8Array>>;
};

/** A listed object no longer exists, or another query removed its downloaded copy. */
export class LakeFileMissingError extends Error {
  override readonly name = 'LakeFileMissingError';
}

export type LakePorts = {
  objects: LakeObjects;
  manifests: Pick<ManifestRepository, 'read'> & {
    /** Lists the ids of the funnels that have facts in files. */
    funnels(): AsyncIterable<string>;
  };
  erasures: Pick<TombstoneRepository, 'listAllSessions'>;
};

/**
 * Matches the keys of raw event files. Objects with other keys are ignored, because the service did not write them, and
 * their keys would become paths of local files.
 */
const EVENTS = /^events\/arrival_date=\d{4}-\d{2}-\d{2}\/[\w-]+\.parquet$/;
const MANIFEST_READ_CONCURRENCY = 16;

/**
 * Lists the files that hold the lake's rows now. Fact files that no manifest lists are omitted, because they may hold
 * erased data.
 */
export async function listLake({
  objects,
  manifests,
}: Omit<LakePorts, 'erasures'>): Promise<{ facts: LakeFile[]; events: LakeFile[] }> {
  const ids: string[] = [];
  for await (const funnelId of manifests.funnels()) ids.push(funnelId);
  const facts: LakeFile[] = [];
  for (let at = 0; at < ids.length; at += MANIFEST_READ_CONCURRENCY) {
    const read = await Promise.all(ids.slice(at, at + MANIFEST_READ_CONCURRENCY).map((id) => manifests.read(id)));
    for (const { files } of read) facts.push(...files.map(lakeFileOf));
  }
  const events: LakeFile[] = [];
  for await (const file of objects.events()) if (EVENTS.test(file.key)) events.push(file);
  return { facts, events };
}

const lakeFileOf = (file: FactFile): LakeFile => ({
  key: factObjectKey(file),
  bytes: file.bytes,
  digest: { algorithm: 'sha256', hex: Buffer.from(file.sha256, 'base64').toString('hex') },
});
