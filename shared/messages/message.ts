export const CHANNELS = ['email', 'sms'] as const;
export type Channel = (typeof CHANNELS)[number];

export type EmailMessage = {
  channel: 'email';
  to: string;
  /** Display name of the sender. */
  sender: string;
  subject: string;
  /** The content as plain text. */
  text: string;
  /** The same content as HTML. */
  html: string;
  /** Language tag (BCP 47) of the content. */
  language: string;
};

export type SmsMessage = { channel: 'sms'; to: string; text: string };

export type OutboundMessage = EmailMessage | SmsMessage;
