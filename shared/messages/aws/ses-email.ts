import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { once } from '../../platform/once.ts';
import { readSetting, requireSetting } from '../../platform/settings.ts';
import { asciiAddress, formatMailbox } from '../mailbox-address.ts';
import type { EmailMessage } from '../message.ts';
import { PROVIDER_TIMEOUTS, sendAtMostOnce } from './send-at-most-once.ts';

const ses = once(() => new SESv2Client({ maxAttempts: 1, requestHandler: PROVIDER_TIMEOUTS, cacheMiddleware: true }));

/** Headers that suppress out-of-office replies, as defined by RFC 3834 and by Exchange. */
const AUTOMATIC = [
  { Name: 'Auto-Submitted', Value: 'auto-generated' },
  { Name: 'X-Auto-Response-Suppress', Value: 'All' },
];

/** With these headers, mail programs show a button that stops further mails by a POST to the URL (RFC 8058). */
const unsubscribeHeaders = (url: string | undefined) =>
  url === undefined
    ? []
    : [
        { Name: 'List-Unsubscribe', Value: `<${url}>` },
        { Name: 'List-Unsubscribe-Post', Value: 'List-Unsubscribe=One-Click' },
      ];

const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });

/** Sends an e-mail with SES, as text and as HTML. @throws Error, see `MessageSender.send` */
export async function sendEmail(message: EmailMessage): Promise<void> {
  const { to, sender, subject, text, html, language, unsubscribeUrl } = message;
  const replyTo = readSetting('mailReplyTo');
  const command = new SendEmailCommand({
    FromEmailAddress: formatMailbox(sender, requireSetting('mailFrom')),
    Destination: { ToAddresses: [asciiAddress(to)] },
    ...(replyTo !== undefined && { ReplyToAddresses: [replyTo] }),
    Content: {
      Simple: {
        Subject: utf8(subject),
        Body: { Text: utf8(text), Html: utf8(html) },
        Headers: [...AUTOMATIC, { Name: 'Content-Language', Value: language }, ...unsubscribeHeaders(unsubscribeUrl)],
      },
    },
  });
  await sendAtMostOnce('SES', () => ses().send(command));
}
