import { PinpointSMSVoiceV2Client, SendTextMessageCommand } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { once } from '../../platform/once.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { SmsMessage } from '../message.ts';
import { PROVIDER_TIMEOUTS, sendAtMostOnce } from './send-at-most-once.ts';

/**
 * How long the provider tries to deliver an SMS. An SMS with a code is useless after this time, because the code has
 * expired.
 */
const VALID_SECONDS = 600;

const endUserMessaging = once(
  () => new PinpointSMSVoiceV2Client({ maxAttempts: 1, requestHandler: PROVIDER_TIMEOUTS, cacheMiddleware: true }),
);

/** Sends an SMS with AWS End User Messaging. @throws Error, see `MessageSender.send` */
export async function sendSms({ to, text }: SmsMessage): Promise<void> {
  const command = new SendTextMessageCommand({
    DestinationPhoneNumber: to,
    OriginationIdentity: requireSetting('smsSender'),
    MessageType: 'TRANSACTIONAL',
    MessageBody: text,
    TimeToLive: VALID_SECONDS,
  });
  await sendAtMostOnce('End User Messaging', () => endUserMessaging().send(command));
}
