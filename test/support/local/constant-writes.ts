import type { Writes } from '../../../infra/local/emulators/writes.ts';

/** Data is written all the time, so consumers never wait longer than their usual interval. */
export const constantWrites: Writes = { count: () => 0, waitForNext: async () => undefined };
