import * as z from 'zod';
import { parsedJson } from '../parsed-json.ts';
import type { StateFolder } from '../state-folder.ts';

/** The last processed sequence number of each shard. */
export type Positions = { get(shard: string): string | undefined; set(shard: string, sequenceNumber: string): void };

const FILE = 'stream-positions.json';

/** Positions that survive a kill: a lost last write only means that some records are processed once more. */
export function filePositions(state: StateFolder): Positions {
  const read = z.record(z.string(), z.string()).safeParse(parsedJson(state.read(FILE) ?? '{}'));
  const positions = new Map(Object.entries(read.success ? read.data : {}));
  return {
    get: (shard) => positions.get(shard),
    set: (shard, sequenceNumber) => {
      positions.set(shard, sequenceNumber);
      state.write(FILE, JSON.stringify(Object.fromEntries(positions)));
    },
  };
}
