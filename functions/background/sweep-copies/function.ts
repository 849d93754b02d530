import { declareBackgroundFunction } from '../../declare-background-function.ts';

export const sweepCopiesFunction = declareBackgroundFunction('background/sweep-copies', {
  summary: 'Rolls back unfinished writes of landing pages, and finishes interrupted deletions',
  trigger: { everyMinutes: 5 },
  grants: ['page-writes:sweep'],
  limits: { timeoutSeconds: 120, memoryMb: 512 },
});
