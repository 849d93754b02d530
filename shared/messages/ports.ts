import type { Channel, OutboundMessage } from './message.ts';

export type MessageSender = {
  /** The channels with a configured sender. */
  channels(): ReadonlySet<Channel>;
  /**
   * @throws Error when it is not certain that the provider accepted the message. The error contains neither the address
   *   nor the text.
   */
  send(message: OutboundMessage): Promise<void>;
};
