import { backgroundFunction } from '../../../shared/platform/background.ts';

export const sweepUploads = backgroundFunction('background/sweep-uploads', {
  summary: 'Looks at large uploaded files, and removes files that no lead refers to',
  trigger: { everyMinutes: 5 },
  grants: ['uploads:sweep'],
  limits: { timeoutSeconds: 120, memoryMb: 1_769 },
});
