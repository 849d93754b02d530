import { DISPATCH_INTERVAL_MS, DISPATCHER_TIMEOUT_MS } from '../../../shared/deliveries/dispatch-times.ts';
import { declareBackgroundFunction } from '../../declare-background-function.ts';

export const dispatchMessagesFunction = declareBackgroundFunction('background/dispatch-messages', {
  summary: 'Sends messages about leads, calls and domains to webhook endpoints, and stores notices for mails',
  // In AWS, `background/run-dispatcher` runs this function, because the interval of a schedule is at least a minute.
  trigger: { everySeconds: DISPATCH_INTERVAL_MS / 1_000 },
  grants: [
    'lead-events:dispatch',
    'deliveries:send',
    'call-events:dispatch',
    'domain-events:dispatch',
    'funnels:read',
    'webhooks:read',
    'webhooks:write',
    'webhook-secret:read',
    'notification-addresses:read',
    'notices:add',
  ],
  limits: { timeoutSeconds: DISPATCHER_TIMEOUT_MS / 1_000, memoryMb: 1_024 },
});
