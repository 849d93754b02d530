import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { createDynamoDeliveryHistory } from '../../../shared/deliveries/aws/dynamo-delivery-history.ts';
import { createDynamoEndpointStateRepository } from '../../../shared/deliveries/aws/dynamo-endpoint-state-repository.ts';
import { createDynamoLaneRepository } from '../../../shared/deliveries/aws/dynamo-lane-repository.ts';
import { createCallEvents } from '../../../shared/deliveries/call-events.ts';
import { dispatchMessages } from '../../../shared/deliveries/dispatch-messages.ts';
import { createDomainEvents } from '../../../shared/deliveries/domain-events.ts';
import { createLeadEvents } from '../../../shared/deliveries/lead-events.ts';
import type { DispatchPorts } from '../../../shared/deliveries/ports.ts';
import { createDynamoDomainOutbox } from '../../../shared/domains/aws/dynamo-domain-outbox.ts';
import { createConsistentFunnelReader } from '../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { createDynamoLeadOutbox } from '../../../shared/leads/aws/dynamo-lead-outbox.ts';
import { createDynamoAddressReader } from '../../../shared/notifications/aws/dynamo-address-repository.ts';
import { createDynamoNoticeWriter } from '../../../shared/notifications/aws/dynamo-notice-writer.ts';
import { createNotifier } from '../../../shared/notifications/notifier.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createJsonLogger } from '../../../shared/platform/logger.ts';
import { onceAsync } from '../../../shared/platform/once.ts';
import { createDynamoCallOutbox } from '../../../shared/training/aws/dynamo-call-outbox.ts';
import { createDynamoEndpointReader } from '../../../shared/webhooks/aws/dynamo-endpoint-reader.ts';
import { createDynamoEndpointRepository } from '../../../shared/webhooks/aws/dynamo-endpoint-repository.ts';
import { leadMailDelaySeconds } from '../../wiring/notifications.ts';
import { endpointUrlOptions, readMasterSecret } from '../../wiring/webhooks.ts';

/** The event that starts a run. The run starts no work after the time `endMs`. */
const RunEvent = z.object({ endMs: z.optional(z.number()) });

/**
 * Dispatches due changes and delivers due messages. If a change, lane or endpoint could not be processed (for example
 * because DynamoDB failed), the run fails at the end, so that the function's alarm fires. Failed deliveries do not
 * fail the run.
 */
export const createHandler =
  (ports: DispatchPorts) =>
  async (event?: unknown): Promise<void> => {
    const counts = await dispatchMessages(ports, RunEvent.parse(event ?? {}));
    const errors = counts.get('error') ?? 0;
    counts.delete('error');
    for (const [outcome, count] of counts) ports.log.recordMetric(`Deliveries_${outcome}`, count);
    if (errors > 0)
      throw new Error(
        `Number of changes, lanes and endpoints that could not be processed: ${errors}. A later run retries them.`,
      );
  };

/** Loads the sender when the first message is sent, because most runs send none. */
const loadSender = onceAsync(async () => {
  const { createMessageSender } = await import('../../../shared/webhooks/send-message.ts');
  return createMessageSender(endpointUrlOptions());
});

const log = createJsonLogger({ function: 'background/dispatch-messages' });
const notifier = createNotifier({
  addresses: createDynamoAddressReader(),
  notices: createDynamoNoticeWriter(),
  leadDelaySeconds: leadMailDelaySeconds(),
  clock: systemClock,
});

export const handler = createHandler({
  sources: {
    lead: createLeadEvents({
      outbox: createDynamoLeadOutbox(),
      funnels: createConsistentFunnelReader(),
      notifyLead: notifier.notifyLead,
      clock: systemClock,
    }),
    call: createCallEvents(createDynamoCallOutbox()),
    domain: createDomainEvents(createDynamoDomainOutbox()),
  },
  endpoints: { ...createDynamoEndpointReader(), ...createDynamoEndpointRepository() },
  lanes: createDynamoLaneRepository(),
  endpointStates: createDynamoEndpointStateRepository(),
  history: createDynamoDeliveryHistory(),
  notifyPaused: notifier.notifyPaused,
  readSecret: readMasterSecret,
  send: async (request) => (await loadSender())(request),
  clock: systemClock,
  sleep,
  random: Math.random,
  log,
});
