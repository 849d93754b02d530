import { declareBackgroundFunction } from '../../declare-background-function.ts';

export const sweepFactsFunction = declareBackgroundFunction('background/sweep-facts', {
  summary: 'Deletes Parquet files of facts that no manifest refers to',
  trigger: { everyMinutes: 60 },
  grants: ['facts:sweep'],
  limits: { timeoutSeconds: 900, memoryMb: 512 },
});
