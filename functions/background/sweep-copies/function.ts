import { backgroundFunction } from '../../background-function.ts';

export const sweepCopiesFunction = backgroundFunction('background/sweep-copies', {
  summary: 'Rolls back unfinished writes of landing pages',
  trigger: { everyMinutes: 5 },
  grants: ['page-writes:sweep'],
  limits: { timeoutSeconds: 120, memoryMb: 512 },
});
