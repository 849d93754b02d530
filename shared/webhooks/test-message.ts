import { uuidV7 } from '../platform/uuid-v7.ts';
import { messageIdOf } from './message-id.ts';

type TestMessage = {
  id: string;
  type: string;
  /** JSON with `type`, `timestamp` and `data`. */
  body: string;
};

/** Creates the message with which an organization tests an endpoint. It contains no data of leads. */
export function createTestMessage(options: { orgId: string; endpointId: string; nowMs: number }): TestMessage {
  const { orgId, endpointId, nowMs } = options;
  const type = 'endpoint.test';
  const body = JSON.stringify({ type, timestamp: new Date(nowMs).toISOString(), data: { endpointId, orgId } });
  return { id: messageIdOf(uuidV7(nowMs)), type, body };
}
