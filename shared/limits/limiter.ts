import type { Log } from '../platform/log.ts';

export type Window = { scope: string; key: string; limit: number; windowSeconds: number };

/** Counts calls in fixed windows, exactly, also under concurrency. */
export type Limiter = {
  count(window: Window, log: Log): Promise<{ allowed: boolean; resetSeconds: number }>;
};

/** Lets everything pass: for load tests on a laptop. */
export const unlimited: Limiter = { count: async () => ({ allowed: true, resetSeconds: 0 }) };
