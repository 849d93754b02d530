import type { Writes } from '../../../infra/local/emulators/writes.ts';

/** Behaves as if there were always new writes, so that even idle consumers poll at their shortest interval. */
export const constantWrites: Writes = { count: () => 0, waitForNext: async () => undefined };
