import type { StateStorage } from './storage.ts';

export type TabLock = {
  /**
   * Runs `work` in one tab at a time. `work` must end within 30 seconds. If `release` ends the lock first, resolves
   * with undefined, although `work` may continue.
   */
  run<T>(work: () => Promise<T>): Promise<T | undefined>;
  /** Releases the lock. Call it when the page is left: a page with a lock can't enter the back/forward cache. */
  release(): void;
};

const LEASE_MS = 30_000;
const POLL_MS = 250;

/**
 * Creates a lock with the Web Locks API. If the browser has no Web Locks or blocks them, uses a lease in the storage.
 * `release` does not end this lease.
 *
 * @param locks missing on pages without HTTPS
 */
export function createTabLock(name: string, storage: StateStorage, locks: LockManager | undefined): TabLock {
  let controller: AbortController | undefined;
  return {
    async run<T>(work: () => Promise<T>): Promise<T | undefined> {
      if (!locks) return withLease(name, storage, work);
      controller ??= new AbortController();
      const { signal } = controller;
      const released = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
      let isStarted = false;
      try {
        return await locks.request<Promise<T | undefined>>(name, { signal }, () => {
          isStarted = true;
          return Promise.race([work(), released]);
        });
      } catch (error) {
        if (signal.aborted) return undefined;
        // If the browser blocks storage, it also refuses locks.
        if (!isStarted) return withLease(name, storage, work);
        throw error;
      }
    },
    release() {
      controller?.abort();
      controller = undefined;
    },
  };
}

async function withLease<T>(name: string, storage: StateStorage, work: () => Promise<T>): Promise<T> {
  const acquire = () =>
    storage.update(({ leases }) => {
      const nowMs = Date.now();
      const leftMs = (leases[name] ?? 0) - nowMs;
      // If more than the full length of a lease is left, the clock was moved back. Then the lease counts as expired.
      if (leftMs > 0 && leftMs <= LEASE_MS) return undefined;
      leases[name] = nowMs + LEASE_MS;
      return leases[name];
    });
  let lease = await acquire();
  while (lease === undefined) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    lease = await acquire();
  }
  try {
    return await work();
  } finally {
    await storage.update(({ leases }) => {
      if (leases[name] === lease) delete leases[name];
    });
  }
}
