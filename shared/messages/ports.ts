import type { Channel, OutboundMessage } from './message.ts';

export type MessageSender = {
  /** The channels with a configured sender. */
  channels(): ReadonlySet<Channel>;
  /** @throws Error without address and text, when it is not certain that the provider accepted the message */
  send(message: OutboundMessage): Promise<void>;
};
