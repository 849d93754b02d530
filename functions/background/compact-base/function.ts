import { declareBackgroundFunction } from '../../declare-background-function.ts';

/** Major compaction has its own function, so that it does not delay minor compaction (`compact-facts`). */
export const compactBaseFunction = declareBackgroundFunction('background/compact-base', {
  summary: 'Merges small Parquet files of facts into large ones',
  trigger: { everyMinutes: 5 },
  grants: ['facts:compact-base', 'pending-items:list'],
  limits: { timeoutSeconds: 900, memoryMb: 1_769 },
  duckdb: true,
});
