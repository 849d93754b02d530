export const CHANNELS = ['email', 'sms'] as const;
export type Channel = (typeof CHANNELS)[number];

export type EmailMessage = {
  channel: 'email';
  to: string;
  /** Display name of the sender, without an address. */
  sender: string;
  subject: string;
  text: string;
  html: string;
  /** Language tag (BCP 47) of the content. */
  language: string;
  /** A POST to this URL stops further mails, without a login (RFC 8058). */
  unsubscribeUrl?: string;
};

export type SmsMessage = { channel: 'sms'; to: string; text: string };

export type OutboundMessage = EmailMessage | SmsMessage;
