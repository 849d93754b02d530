/** How a visitor can be reached. */
export const CHANNELS = ['email', 'sms'] as const;
export type Channel = (typeof CHANNELS)[number];

export type EmailMessage = {
  channel: 'email';
  to: string;
  /** The name that the message comes from. */
  sender: string;
  subject: string;
  /** The same words twice: as text and as HTML. */
  text: string;
  html: string;
  /** BCP 47. */
  language: string;
};

export type SmsMessage = { channel: 'sms'; to: string; text: string };

export type OutboundMessage = EmailMessage | SmsMessage;

export type MessageSender = {
  /** The channels that there is a sender for. */
  channels(): ReadonlySet<Channel>;
  /** Hands a message over. @throws Error without any of its content when it was not taken */
  send(message: OutboundMessage): Promise<void>;
};
