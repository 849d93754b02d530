import { v5 } from 'uuid';
import { messageIdOf } from '../webhooks/message-id.ts';

/**
 * The namespace of the UUIDs of version 5 (RFC 9562). Its value is arbitrary, but must not change, because a different
 * value would change the ids of messages.
 */
const ID_NAMESPACE = '6c1f0f0e-3d0b-4d3e-9a57-1c5f2b8e7a44';

/** Returns the same id for the same parts. */
export const deriveMessageId = (parts: readonly (string | number)[]): string =>
  messageIdOf(v5(JSON.stringify(parts), ID_NAMESPACE));
