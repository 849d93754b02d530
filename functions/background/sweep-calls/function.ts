import { backgroundFunction } from '../../background-function.ts';

export const sweepCallsFunction = backgroundFunction('background/sweep-calls', {
  summary: 'Looks after calls that nobody else moves on: lost webhooks, analyses that did not end, late recordings',
  trigger: { everyMinutes: 5 },
  grants: ['calls:sweep', 'analysis:start', 'voice-secret:read'],
  limits: { timeoutSeconds: 120, memoryMb: 1_024 },
});
