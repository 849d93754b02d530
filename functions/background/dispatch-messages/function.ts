import { ATTEMPT_HOLD_MS } from '../../../shared/deliveries/lane.ts';
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
  limits: { timeoutSeconds: ATTEMPT_HOLD_MS / 1_000, memoryMb: 1_024 },
});
