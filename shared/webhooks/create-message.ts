import { uuidV7 } from '../platform/uuid-v7.ts';
import { messageIdOf } from './message-id.ts';
import { type SignableMessage, signMessage } from './sign-message.ts';

/** All attempts send the same id and body. */
type WebhookMessage = {
  /** Receivers recognize repeated messages by the id. */
  id: string;
  type: string;
  /** JSON with `type`, `timestamp` and `data`. */
  body: string;
};

/** Creates the message with which an organization tests an endpoint. It contains no data of leads. */
export function createTestMessage(options: { orgId: string; endpointId: string; nowMs: number }): WebhookMessage {
  const { orgId, endpointId, nowMs } = options;
  const type = 'endpoint.test';
  const body = JSON.stringify({ type, timestamp: new Date(nowMs).toISOString(), data: { endpointId, orgId } });
  return { id: messageIdOf(uuidV7(nowMs)), type, body };
}

/** Returns the headers of one attempt, as Standard Webhooks specifies them. @throws Error without a secret */
export function headersOf(message: SignableMessage & { secrets: readonly string[] }): Record<string, string> {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestampSeconds),
    'webhook-signature': signMessage(message),
  };
}
