import type { Grant } from './grants.ts';

type Trigger =
  | { stream: 'events'; batchRecords: number; parallelBatchesPerShard: number }
  | { everyMinutes: number }
  | { invoked: 'asynchronously' };

export type BackgroundFunctionSpec = {
  summary: string;
  trigger: Trigger;
  grants: readonly Grant[];
  limits: { timeoutSeconds: number; memoryMb: number };
  /** Attaches the DuckDB layer. */
  duckdb?: boolean;
};

export type BackgroundFunction = Readonly<BackgroundFunctionSpec> & { readonly id: string };

/** Declares a background function. @param id the folder below `functions/` */
export function backgroundFunction(id: string, spec: BackgroundFunctionSpec): BackgroundFunction {
  return Object.freeze({ ...spec, id });
}
