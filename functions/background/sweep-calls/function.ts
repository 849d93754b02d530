import { declareBackgroundFunction } from '../../declare-background-function.ts';

export const sweepCallsFunction = declareBackgroundFunction('background/sweep-calls', {
  summary: 'Continues stuck calls: lost webhooks, unfinished analyses, late recordings',
  trigger: { everyMinutes: 5 },
  grants: ['calls:sweep', 'analysis:start', 'voice-secret:read'],
  limits: { timeoutSeconds: 120, memoryMb: 1_024 },
});
