import type { Grant } from './grants.ts';

type Trigger =
  | { stream: 'events'; batchRecords: number; parallelBatchesPerShard: number }
  /**
   * `laptopSeconds`: the interval at which `npm start` runs the function. While nothing is written, the interval is
   * longer. Default: an interval derived from `everyMinutes`.
   *
   * `repeats`: the id of another function. This function runs the other one again and again, until the next scheduled
   * run begins. `npm start` runs only the other function, every few seconds.
   */
  | { everyMinutes: number; laptopSeconds?: number; repeats?: string }
  /**
   * For a function that another function repeats (`repeats`). `everySeconds`: the minimum time between the starts of two
   * runs. `npm start` waits this time after each run, and longer while nothing is written.
   */
  | { everySeconds: number }
  | { invoked: 'asynchronously' };

export type BackgroundFunctionDeclaration = {
  summary: string;
  trigger: Trigger;
  grants: readonly Grant[];
  limits: { timeoutSeconds: number; memoryMb: number };
  /** Whether the function needs the DuckDB layer. */
  duckdb?: boolean;
};

export type BackgroundFunction = Readonly<BackgroundFunctionDeclaration> & { readonly id: string };

/** Returns the minutes between two scheduled runs, such as 0.05; undefined for a function without a schedule. */
export function intervalMinutes({ trigger }: BackgroundFunction): number | undefined {
  if ('everySeconds' in trigger) return trigger.everySeconds / 60;
  return 'everyMinutes' in trigger ? trigger.everyMinutes : undefined;
}

/** @param id the folder below `functions/`; must not change, because deployed resources are named after it */
export function declareBackgroundFunction(id: string, declaration: BackgroundFunctionDeclaration): BackgroundFunction {
  return Object.freeze({ ...declaration, id });
}
