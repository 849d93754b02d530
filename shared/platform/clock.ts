/** Where the time comes from: an argument, so that a test can stand anywhere in time. */
export type Clock = { now(): number };

/** Milliseconds since the epoch, UTC. */
export const systemClock: Clock = { now: () => Date.now() };
