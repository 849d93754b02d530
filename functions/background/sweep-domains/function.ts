import { declareBackgroundFunction } from '../../declare-background-function.ts';

export const sweepDomainsFunction = declareBackgroundFunction('background/sweep-domains', {
  summary: 'Continues removals and provisioning of domains, and deletes unverified domains after their deadline',
  trigger: { everyMinutes: 1 },
  grants: ['domains:tear-down', 'domains:sweep', 'edge:set-up', 'edge:tear-down'],
  limits: { timeoutSeconds: 120, memoryMb: 512 },
});
