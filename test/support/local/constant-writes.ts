import type { Writes } from '../../../infra/local/emulators/writes.ts';

/** Reports a new write immediately, so that consumers never wait longer than their usual interval. */
export const constantWrites: Writes = { count: () => 0, waitForNext: async () => undefined };
