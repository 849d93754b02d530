import type { Entry } from './journal.ts';

/**
 * Returns the sent messages as JSON, newest last: `emails` in the format of aws-ses-v2-local, `sms`, and `messages`
 * with e-mails and SMS in a common format.
 */
export function toStoreJson(entries: readonly Entry[], sinceSeconds = 0) {
  const recent = entries.filter((entry) => sentAtSeconds(entry) >= sinceSeconds);
  return {
    templates: {},
    emails: recent.flatMap((entry) => (entry.channel === 'email' ? [entry.email] : [])),
    sms: recent.flatMap((entry) => (entry.channel === 'sms' ? [entry.sms] : [])),
    messages: recent.map(toMessage),
  };
}

const sentAtSeconds = (entry: Entry): number => (entry.channel === 'email' ? entry.email.at : entry.sms.at);

/** Converts an e-mail or SMS to the common format. */
function toMessage(entry: Entry) {
  if (entry.channel === 'sms') {
    const { messageId, destination, sender, body, at } = entry.sms;
    return { messageId, channel: 'sms' as const, to: [destination], from: sender, text: body, hasHtml: false, at };
  }
  const { messageId, destination, from, subject, body, at } = entry.email;
  return {
    messageId,
    channel: 'email' as const,
    to: destination.to,
    from: decodeSender(from),
    subject,
    text: body.text ?? '',
    hasHtml: body.html !== undefined,
    at,
  };
}

/** Decodes encoded words (RFC 2047) in a sender's name. Supports only UTF-8 in Base64, which the service writes. */
const decodeSender = (from: string): string =>
  from
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?UTF-8\?B\?([^?]*)\?=/gi, (_, base64: string) => Buffer.from(base64, 'base64').toString());

/** Returns the HTML part of an e-mail; undefined if there is none. */
export function findEmailHtml(entries: readonly Entry[], messageId: string): string | undefined {
  const emails = entries.flatMap((entry) => (entry.channel === 'email' ? [entry.email] : []));
  return emails.find((email) => email.messageId === messageId)?.body.html;
}
