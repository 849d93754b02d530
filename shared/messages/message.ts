export const CHANNELS = ['email', 'sms'] as const;
export type Channel = (typeof CHANNELS)[number];

export type EmailMessage = {
  channel: 'email';
  to: string;
  /** Display name of the sender. */
  sender: string;
  subject: string;
  /** The same content as text and as HTML. */
  text: string;
  html: string;
  /** BCP 47. */
  language: string;
};

export type SmsMessage = { channel: 'sms'; to: string; text: string };

export type OutboundMessage = EmailMessage | SmsMessage;
