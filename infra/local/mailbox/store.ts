import type { Entry } from './journal.ts';

/**
 * What was sent as JSON, newest last: `emails` as aws-ses-v2-local has always given them, `sms`, and both in one as
 * `messages`.
 */
export function toStoreJson(entries: readonly Entry[], sinceSeconds = 0) {
  const recent = entries.filter((entry) => atOf(entry) >= sinceSeconds);
  return {
    templates: {},
    emails: recent.flatMap((entry) => (entry.channel === 'email' ? [entry.email] : [])),
    sms: recent.flatMap((entry) => (entry.channel === 'sms' ? [entry.sms] : [])),
    messages: recent.map(messageOf),
  };
}

const atOf = (entry: Entry): number => (entry.channel === 'email' ? entry.email.at : entry.sms.at);

/** What both kinds have. */
function messageOf(entry: Entry) {
  if (entry.channel === 'sms') {
    const { messageId, destination, sender, body, at } = entry.sms;
    return { messageId, channel: 'sms' as const, to: [destination], from: sender, text: body, hasHtml: false, at };
  }
  const { messageId, destination, from, subject, body, at } = entry.email;
  return {
    messageId,
    channel: 'email' as const,
    to: destination.to,
    from: decoded(from),
    subject,
    text: body.text ?? '',
    hasHtml: body.html !== undefined,
    at,
  };
}

/** A sender's name as people read it: without encoded words (RFC 2047), of which the service writes only these. */
const decoded = (from: string): string =>
  from
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?UTF-8\?B\?([^?]*)\?=/gi, (_, base64: string) => Buffer.from(base64, 'base64').toString());

/** The HTML part of an e-mail. */
export function findEmailHtml(entries: readonly Entry[], messageId: string): string | undefined {
  const emails = entries.flatMap((entry) => (entry.channel === 'email' ? [entry.email] : []));
  return emails.find((email) => email.messageId === messageId)?.body.html;
}
