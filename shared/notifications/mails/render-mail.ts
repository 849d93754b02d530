import mustache from 'mustache';
import type { EmailMessage } from '../../messages/message.ts';
import { oneLine } from '../../messages/one-line.ts';
import { CONFIRMATION_DAYS } from '../link-token.ts';
import type { PausedEndpoint } from '../notice.ts';
import type { NotificationAddress } from '../notification-address.ts';
import { formatTime, type LeadSection } from './lead-section.ts';
import { mailTexts } from './mail-texts.ts';
import { HTML_TEMPLATE, STYLE, TEXT_TEMPLATE } from './templates.ts';

export type Recipient = {
  address: NotificationAddress;
  /** Name of the organization. */
  organization: string;
  /** URL that stops the mails; undefined in a confirmation mail. */
  unsubscribeUrl?: string | undefined;
};

const NAME_CHARACTERS_MAX = 100;

/** Renders the mail with which a recipient confirms an address. */
export function confirmationMail(to: Recipient, confirmUrl: string): EmailMessage {
  const { subject, title, text, button, note } = mailTexts(to.address.language).confirmation;
  const fill = filler(to, { days: CONFIRMATION_DAYS });
  return mail(to, {
    subject,
    title,
    paragraphs: [fill(text)],
    action: { label: button, url: confirmUrl },
    notes: [note],
  });
}

/**
 * Renders a mail about leads. The subject contains no personal data.
 *
 * @param others number of leads that are not listed
 */
export function leadsMail(to: Recipient, sections: readonly LeadSection[], others: number): EmailMessage {
  const { lead, leads, submitted } = mailTexts(to.address.language);
  const count = sections.length + others;
  const { subject, title } = count === 1 ? lead : leads;
  const fill = filler(to, { count, others });
  return mail(to, {
    subject: fill(subject),
    title: fill(title),
    paragraphs: [],
    notes: others > 0 ? [fill(leads.others)] : [],
    sections: sections.map((section) => ({
      rows: [...section.rows, { label: submitted, value: `${section.submitted} (${to.address.timeZone})` }],
    })),
  });
}

/** Renders the mail about a paused webhook endpoint. Shows the URL without its query, which can contain a key. */
export function pausedMail(
  to: Recipient,
  { url, failingSince, pausedAt }: Omit<PausedEndpoint, 'orgId'>,
): EmailMessage {
  const { subject, title, text, labels } = mailTexts(to.address.language).paused;
  const rows = [
    { label: labels.url, value: url.replace(/\?.*$/s, '') },
    { label: labels.failingSince, value: formatTime(failingSince, to.address) },
    { label: labels.pausedAt, value: formatTime(pausedAt, to.address) },
  ];
  return mail(to, { subject, title, paragraphs: [filler(to)(text)], sections: [{ rows }], notes: [] });
}

type Content = {
  subject: string;
  title: string;
  paragraphs: readonly string[];
  action?: { label: string; url: string };
  sections?: readonly { rows: readonly { label: string; value: string }[] }[];
  notes: readonly string[];
};

function mail(to: Recipient, { subject, ...content }: Content): EmailMessage {
  const { address, organization, unsubscribeUrl } = to;
  const { reason, unsubscribe } = mailTexts(address.language);
  const view = {
    ...content,
    subject,
    language: address.language,
    style: STYLE,
    footer: unsubscribeUrl !== undefined && { reason: filler(to)(reason), label: unsubscribe, url: unsubscribeUrl },
  };
  return {
    channel: 'email',
    to: address.address,
    sender: oneLine(organization, NAME_CHARACTERS_MAX),
    subject,
    text: mustache.render(TEXT_TEMPLATE, view, {}, { escape: String }),
    html: mustache.render(HTML_TEMPLATE, view),
    language: address.language,
    ...(unsubscribeUrl !== undefined && { unsubscribeUrl }),
  };
}

/** Fills a text without escaping it, because the HTML template escapes it. */
const filler =
  ({ organization }: Recipient, values: Record<string, number> = {}) =>
  (template: string): string =>
    mustache.render(
      template,
      { organization: oneLine(organization, NAME_CHARACTERS_MAX), ...values },
      {},
      { escape: String },
    );
