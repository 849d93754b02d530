import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The last processed sequence number of each shard. */
export type CheckpointStore = {
  get(shard: string): string | undefined;
  set(shard: string, sequenceNumber: string): Promise<void>;
};

const SUFFIX = '.new';

/**
 * Positions that survive a kill, in a file for each shard: a lost last write only means that some records are processed
 * once more. Not the synchronous calls, because replacing a file can take milliseconds.
 */
export function createFileCheckpointStore(folder: string): CheckpointStore {
  mkdirSync(folder, { recursive: true });
  const shards = readdirSync(folder).filter((name) => !name.endsWith(SUFFIX));
  const positions = new Map(shards.map((shard) => [shard, sequenceNumberIn(join(folder, shard))]));
  return {
    get: (shard) => positions.get(shard),
    set: async (shard, sequenceNumber) => {
      positions.set(shard, sequenceNumber);
      const file = join(folder, shard);
      await writeFile(file + SUFFIX, sequenceNumber);
      await rename(file + SUFFIX, file);
    },
  };
}

/** What a power loss or an editor left unreadable is no position: the shard is then read from its beginning, harmlessly. */
function sequenceNumberIn(file: string): string | undefined {
  const text = readFileSync(file, 'utf8');
  return /^\d{20,}$/.test(text) ? text : undefined;
}
