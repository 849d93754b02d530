import { declareBackgroundFunction } from '../../declare-background-function.ts';

export const dispatchMessagesFunction = declareBackgroundFunction('background/dispatch-messages', {
  summary:
    'Sends messages about leads, calls and domains to webhook endpoints, and notes which mails about leads are due',
  trigger: { everyMinutes: 1, laptopSeconds: 0.5, tableStream: 'leads' },
  grants: [
    'lead-events:dispatch',
    'lead-stream:read',
    'call-events:dispatch',
    'domain-events:dispatch',
    'funnels:read',
    'webhooks:read',
    'webhooks:write',
    'webhook-secret:read',
    'notification-addresses:read',
    'notices:add',
  ],
  // A lane is held for the timeout, so that no other run sends its message meanwhile.
  limits: { timeoutSeconds: 75, memoryMb: 1_024 },
});
