import { readSetting } from '../../platform/settings.ts';
import { CHANNELS } from '../message.ts';
import type { MessageSender } from '../ports.ts';
import { sendSms } from './end-user-messaging-sms.ts';
import { sendEmail } from './ses-email.ts';

const SENDER = { email: 'mailFrom', sms: 'smsSender' } as const;

/**
 * `sendEmail` and `sendSms` are imported statically. With dynamic imports, which the bundler can't tree-shake, the
 * bundle would be 90 KB larger.
 */
export const createAwsMessageSender = (): MessageSender => ({
  channels: () => new Set(CHANNELS.filter((channel) => readSetting(SENDER[channel]) !== undefined)),
  send: (message) => (message.channel === 'email' ? sendEmail(message) : sendSms(message)),
});
