import type { Channel, OutboundMessage } from './message.ts';

export type MessageSender = {
  /** The channels with a configured sender. */
  channels(): ReadonlySet<Channel>;
  /**
   * @throws Error if the provider rejected the message or did not confirm it. The error contains neither the address
   *   nor the text.
   */
  send(message: OutboundMessage): Promise<void>;
};
