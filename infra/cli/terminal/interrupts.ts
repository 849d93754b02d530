import { setTimeout as delay } from 'node:timers/promises';

/** Runs when the command is interrupted. @returns removes it again, once there is nothing left to clean up */
export type OnInterrupt = (cleanUp: () => Promise<void>) => () => void;

/** The exit code that shells report for a process ended by Ctrl-C. */
const INTERRUPTED = 130;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** A store that doesn't respond must not keep the process alive. */
const CLEAN_UP_MS_MAX = 10_000;

type Interruptible = Pick<NodeJS.Process, 'on'> & { exit(code: number): void };

/**
 * Ends the process on SIGINT and SIGTERM with exit code 130, after the registered clean-ups, newest first. A second
 * signal ends it immediately.
 */
export function handleInterrupts(process: Interruptible, note: (line: string) => void): OnInterrupt {
  const cleanUps = new Set<() => Promise<void>>();
  let isInterrupted = false;
  const interrupt = async () => {
    if (isInterrupted || cleanUps.size === 0) return process.exit(INTERRUPTED);
    isInterrupted = true;
    note('Interrupted: cleaning up. Press Ctrl-C again to exit immediately.');
    await Promise.race([cleanAll(), delay(CLEAN_UP_MS_MAX)]);
    process.exit(INTERRUPTED);
  };
  const cleanAll = async () => {
    for (const cleanUp of [...cleanUps].reverse()) {
      await cleanUp().catch((error: unknown) => note(`Not cleaned up: ${error}`));
    }
  };
  for (const signal of SIGNALS) process.on(signal, () => void interrupt());
  return (cleanUp) => {
    cleanUps.add(cleanUp);
    return () => void cleanUps.delete(cleanUp);
  };
}

/** Runs the work; an interrupt cleans up after it. */
export async function withCleanUp<T>(
  onInterrupt: OnInterrupt | undefined,
  cleanUp: () => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  const remove = onInterrupt?.(cleanUp);
  try {
    return await work();
  } finally {
    remove?.();
  }
}
