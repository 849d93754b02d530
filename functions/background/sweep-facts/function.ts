import { backgroundFunction } from '../../background-function.ts';

export const sweepFactsFunction = backgroundFunction('background/sweep-facts', {
  summary: 'Removes Parquet files of facts that no read needs any more',
  trigger: { everyMinutes: 60 },
  grants: ['facts:sweep'],
  limits: { timeoutSeconds: 900, memoryMb: 512 },
});
