import { declareBackgroundFunction } from '../../declare-background-function.ts';

/** Deletes unused fact files. The id must not change, because deployed resources are named after it. */
export const sweepFactsFunction = declareBackgroundFunction('background/sweep-facts', {
  summary: 'Deletes Parquet files of facts that no manifest refers to',
  trigger: { everyMinutes: 60 },
  grants: ['facts:sweep'],
  limits: { timeoutSeconds: 900, memoryMb: 512 },
});
