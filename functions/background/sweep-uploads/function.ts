import { declareBackgroundFunction } from '../../declare-background-function.ts';

export const sweepUploadsFunction = declareBackgroundFunction('background/sweep-uploads', {
  summary:
    'Inspects large uploaded files, releases the quota of files that were not sent, and deletes files that no lead refers to',
  trigger: { everyMinutes: 5 },
  grants: ['uploads:sweep', 'limits:consume'],
  limits: { timeoutSeconds: 120, memoryMb: 1_769 },
});
