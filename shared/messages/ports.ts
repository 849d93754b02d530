import type { Channel, OutboundMessage } from './message.ts';

export type MessageSender = {
  /** The channels with a configured sender. */
  channels(): ReadonlySet<Channel>;
  /** @throws Error without message content when the provider did not accept it */
  send(message: OutboundMessage): Promise<void>;
};
