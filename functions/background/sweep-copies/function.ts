import { backgroundFunction } from '../../background-function.ts';

export const sweepCopiesFunction = backgroundFunction('background/sweep-copies', {
  summary: 'Removes what is left of landing pages whose writing did not end',
  trigger: { everyMinutes: 5 },
  grants: ['page-writes:sweep'],
  limits: { timeoutSeconds: 120, memoryMb: 512 },
});
