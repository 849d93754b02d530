import { declareBackgroundFunction } from '../../declare-background-function.ts';

export const compactFactsFunction = declareBackgroundFunction('background/compact-facts', {
  summary: 'Moves fresh facts into Parquet files',
  trigger: { everyMinutes: 1 },
  grants: ['facts:compact', 'pending-items:list'],
  limits: { timeoutSeconds: 300, memoryMb: 1_769 },
  duckdb: true,
});
