import { backgroundFunction } from '../../background-function.ts';

export const sweepDomainsFunction = backgroundFunction('background/sweep-domains', {
  summary: 'Carries on with domains: removals, set-ups at the edge, claims that nobody has proven in time',
  trigger: { everyMinutes: 1 },
  grants: ['domains:tear-down', 'domains:sweep', 'edge:set-up', 'edge:tear-down'],
  limits: { timeoutSeconds: 120, memoryMb: 512 },
});
