import { declareBackgroundFunction } from '../../declare-background-function.ts';

export const dispatchLeadEventsFunction = declareBackgroundFunction('background/dispatch-lead-events', {
  summary:
    'Sends changes of leads, scores of calls and activations of domains to webhook endpoints, and repeats failed attempts',
  trigger: { everyMinutes: 1, laptopSeconds: 0.5 },
  grants: [
    'lead-events:dispatch',
    'call-events:dispatch',
    'domain-events:dispatch',
    'funnels:read',
    'webhooks:read',
    'webhooks:write',
    'webhook-secret:read',
  ],
  // A lane is held for the timeout, so that no other run sends its message meanwhile.
  limits: { timeoutSeconds: 60, memoryMb: 1_024 },
});
