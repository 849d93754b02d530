import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Stores the last processed sequence number of each shard. */
export type CheckpointStore = {
  get(shard: string): string | undefined;
  set(shard: string, sequenceNumber: string): Promise<void>;
};

const TEMPORARY_SUFFIX = '.new';

/**
 * Creates a store with one file per shard. If a kill loses the last write, some records are processed again. This is
 * harmless, because functions expect repeated records: Kinesis may also deliver a record twice. `set` writes
 * asynchronously, because replacing a file can take milliseconds.
 */
export function createFileCheckpointStore(folder: string): CheckpointStore {
  mkdirSync(folder, { recursive: true });
  const shards = readdirSync(folder).filter((name) => !name.endsWith(TEMPORARY_SUFFIX));
  const checkpoints = new Map(shards.map((shard) => [shard, readSequenceNumber(join(folder, shard))]));
  return {
    get: (shard) => checkpoints.get(shard),
    set: async (shard, sequenceNumber) => {
      checkpoints.set(shard, sequenceNumber);
      const file = join(folder, shard);
      await writeFile(file + TEMPORARY_SUFFIX, sequenceNumber);
      await rename(file + TEMPORARY_SUFFIX, file);
    },
  };
}

/**
 * Returns undefined for a damaged file. The shard is then read from its beginning, so its records are processed again.
 */
function readSequenceNumber(file: string): string | undefined {
  const text = readFileSync(file, 'utf8');
  return /^\d{20,}$/.test(text) ? text : undefined;
}
