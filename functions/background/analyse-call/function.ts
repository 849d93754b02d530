import { declareBackgroundFunction } from '../../declare-background-function.ts';

/** Runs the use case `processCall` (`shared/training/process-call.ts`). */
export const analyseCallFunction = declareBackgroundFunction('background/analyse-call', {
  summary: 'Scores a finished call and stores its recording',
  trigger: { invoked: 'asynchronously' },
  grants: [
    'calls:analyse',
    'voice-secret:read',
    'organizations:read',
    'limits:consume',
    'model:stream',
    'ai-secret:read',
  ],
  limits: { timeoutSeconds: 300, memoryMb: 1_769 },
});
