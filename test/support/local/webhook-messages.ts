import { Webhook } from 'standardwebhooks';
import { WEBHOOK_MESSAGES } from '../../../infra/openapi/webhook-messages.ts';
import type { EventType } from '../../../shared/webhooks/webhook-endpoint.ts';
import type { LocalRuntime } from './runtime.ts';

type Message = { type: EventType; timestamp: string; data: Record<string, unknown> };

/**
 * Creates a webhook endpoint of organization A at the receiver of `npm start`.
 *
 * @returns a function that reads the messages that arrived, oldest first, and verifies their signatures
 */
export async function receiveMessages(
  { demo: { baseUrl, organizations, tokens, webhookReceiver } }: Pick<LocalRuntime, 'demo'>,
  ...eventTypes: EventType[]
): Promise<() => Promise<Message[]>> {
  const path = `/hook/${eventTypes.join('-')}`;
  const response = await fetch(`${baseUrl}/api/v2/organizations/${organizations.a.id}/webhook-endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.adminA}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: new URL(path, webhookReceiver.page).href, eventTypes }),
  });
  const { secret } = (await response.json()) as { secret: string };
  const webhook = new Webhook(secret);
  return async () => {
    const { deliveries } = (await (await fetch(webhookReceiver.deliveries)).json()) as {
      deliveries: { path: string; body: string; headers: Record<string, string> }[];
    };
    const own = deliveries.filter((delivery) => delivery.path === path).reverse();
    return own.map(({ body, headers }) => {
      const message = webhook.verify(body, headers) as Message;
      WEBHOOK_MESSAGES[message.type].parse(message);
      return message;
    });
  };
}
