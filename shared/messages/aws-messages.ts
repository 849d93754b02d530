import { optionalConfig } from '../platform/config.ts';
import { sendSms } from './end-user-messaging-sms.ts';
import { CHANNELS, type Messages } from './message.ts';
import { sendMail } from './ses-mail.ts';

const SENDER = { email: 'mailFrom', sms: 'smsSender' } as const;

/**
 * SES and End User Messaging, each client made when its first message goes. Imported plainly: the bundler shakes what a
 * lazy import would carry whole, 90 KB of it.
 */
export const awsMessages = (): Messages => ({
  channels: () => new Set(CHANNELS.filter((channel) => optionalConfig(SENDER[channel]) !== undefined)),
  send: (message) => (message.channel === 'email' ? sendMail(message) : sendSms(message)),
});
