import type { Channel, OutboundMessage } from './message.ts';

export type MessageSender = {
  /** The channels with a configured sender. */
  channels(): ReadonlySet<Channel>;
  /** @throws Error when the provider did not accept the message or did not respond; it contains no message content */
  send(message: OutboundMessage): Promise<void>;
};
