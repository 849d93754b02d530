import { setTimeout as delay } from 'node:timers/promises';

/** Registers a clean-up, which runs if the command is interrupted. @returns a function that removes the clean-up */
export type OnInterrupt = (cleanUp: () => Promise<void>) => () => void;

/** The exit code that shells report for a process ended by Ctrl-C. */
const INTERRUPTED = 130;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** Maximum duration of all clean-ups together. A service that doesn't respond must not keep the process alive. */
const CLEAN_UP_MS_MAX = 10_000;

type Interruptible = Pick<NodeJS.Process, 'on'> & { exit(code: number): void };

/**
 * On SIGINT and SIGTERM, runs the registered clean-ups, newest first, and ends the process with exit code 130. A second
 * signal ends the process immediately.
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
      await cleanUp().catch((error: unknown) => note(`A clean-up failed: ${error}`));
    }
  };
  for (const signal of SIGNALS) process.on(signal, () => void interrupt());
  return (cleanUp) => {
    cleanUps.add(cleanUp);
    return () => void cleanUps.delete(cleanUp);
  };
}

/** Runs `work`. Runs `cleanUp` only if the command is interrupted during the work. */
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
