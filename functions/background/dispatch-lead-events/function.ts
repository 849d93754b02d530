import { declareBackgroundFunction } from '../../declare-background-function.ts';

export const dispatchLeadEventsFunction = declareBackgroundFunction('background/dispatch-lead-events', {
  summary:
    'Sends changes of leads to webhook endpoints, repeats failed attempts, and notes which mails about leads are due',
  trigger: { everyMinutes: 1, laptopSeconds: 0.5 },
  grants: [
    ...(['lead-events:dispatch', 'funnels:read', 'webhooks:read', 'webhooks:write', 'webhook-secret:read'] as const),
    ...(['notification-addresses:read', 'notices:add'] as const),
  ],
  // A lane is held for the timeout, so that no other run sends its message meanwhile.
  limits: { timeoutSeconds: 60, memoryMb: 1_024 },
});
