import { readSetting } from '../../platform/settings.ts';
import { CHANNELS } from '../message.ts';
import type { MessageSender } from '../ports.ts';
import { sendSms } from './end-user-messaging-sms.ts';
import { sendEmail } from './ses-email.ts';

const SENDER = { email: 'mailFrom', sms: 'smsSender' } as const;

/**
 * Sends with SES and End User Messaging. Each client is created on first use. The modules are imported statically,
 * because the bundler can't tree-shake dynamic imports, which would add 90 KB.
 */
export const createAwsMessageSender = (): MessageSender => ({
  channels: () => new Set(CHANNELS.filter((channel) => readSetting(SENDER[channel]) !== undefined)),
  send: (message) => (message.channel === 'email' ? sendEmail(message) : sendSms(message)),
});
