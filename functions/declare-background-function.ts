import type { Grant } from './grants.ts';

type Trigger =
  | { stream: 'events'; batchRecords: number; parallelBatchesPerShard: number }
  /**
   * `laptopSeconds`: the interval at which `npm start` runs the function. Default: an interval derived from
   * `everyMinutes`. `tableStream`: when items of this table with a `dueAt` change, the deployed function also runs for
   * these items only.
   */
  | { everyMinutes: number; laptopSeconds?: number; tableStream?: 'leads' }
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

/** @param id the folder below `functions/`; must not change, because deployed resources are named after it */
export function declareBackgroundFunction(id: string, declaration: BackgroundFunctionDeclaration): BackgroundFunction {
  return Object.freeze({ ...declaration, id });
}
