import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { config, optionalConfig } from '../platform/config.ts';
import { once } from '../platform/once.ts';
import { asciiAddress, namedAddress } from './mailbox-address.ts';
import type { EmailMessage } from './message.ts';
import { handOver, PROVIDER_TIMEOUTS } from './provider.ts';

const ses = once(() => new SESv2Client({ maxAttempts: 1, requestHandler: PROVIDER_TIMEOUTS, cacheMiddleware: true }));

/** Out-of-office answers to a code help nobody; RFC 3834 and Exchange's own header keep them away. */
const AUTOMATIC = [
  { Name: 'Auto-Submitted', Value: 'auto-generated' },
  { Name: 'X-Auto-Response-Suppress', Value: 'All' },
];

const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });

/** Sends an e-mail with SES, both parts in one. @throws Error without any content when it was not taken */
export async function sendMail(message: EmailMessage): Promise<void> {
  const { to, sender, subject, text, html, language } = message;
  const replyTo = optionalConfig('mailReplyTo');
  const command = new SendEmailCommand({
    FromEmailAddress: namedAddress(sender, config('mailFrom')),
    Destination: { ToAddresses: [asciiAddress(to)] },
    ...(replyTo !== undefined && { ReplyToAddresses: [replyTo] }),
    Content: {
      Simple: {
        Subject: utf8(subject),
        Body: { Text: utf8(text), Html: utf8(html) },
        Headers: [...AUTOMATIC, { Name: 'Content-Language', Value: language }],
      },
    },
  });
  await handOver('SES', () => ses().send(command));
}
