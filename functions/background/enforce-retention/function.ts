import { declareBackgroundFunction } from '../../declare-background-function.ts';

export const enforceRetentionFunction = declareBackgroundFunction('background/enforce-retention', {
  summary: 'Erases leads, calls and recordings whose retention period has ended',
  trigger: { everyMinutes: 1_440 },
  grants: ['retention:enforce', 'leads:erase', 'calls:erase', 'voice-secret:read'],
  limits: { timeoutSeconds: 900, memoryMb: 1_024 },
});
