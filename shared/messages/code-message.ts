import mustache from 'mustache';
import { type CodeTemplates, DEFAULT_CODE_TEMPLATES } from './code-templates.ts';
import { renderHtmlBody } from './html-body.ts';
import { negotiateLanguage } from './language.ts';
import type { Channel, OutboundMessage } from './message.ts';
import { oneLine } from './one-line.ts';
import { fitsOneSms } from './sms-length.ts';

/** Maximum length of a text that the SMS provider accepts. */
const SMS_CHARACTERS_MAX = 1_600;
const NAME_CHARACTERS_MAX = 100;
const SUBJECT_CHARACTERS_MAX = 200;

type CodeMessageInput = {
  channel: Channel;
  destination: string;
  /** Digits only. */
  code: string;
  minutes: number;
  sender: string;
  /** Custom templates by language (BCP 47). */
  templates: Readonly<Record<string, CodeTemplates>>;
  /** Used when the visitor accepts none of the available languages. */
  preferredLanguage: string;
  acceptLanguage: string | undefined;
  /** The page's origin. Browsers offer the code of an SMS only on pages with the hostname of this origin. */
  boundOrigin: string | undefined;
};

/**
 * Renders a message that contains a code. Uses the custom template in the visitor's language, or a default template if
 * there is no usable custom template.
 *
 * @returns `templateErrors`: why the custom template could not be used; empty if it was used or there is none
 */
export function renderCodeMessage(to: CodeMessageInput): { message: OutboundMessage; templateErrors: Error[] } {
  const { templates, preferredLanguage } = to;
  const texts = new Map<string, CodeTemplates>([
    ...Object.entries(DEFAULT_CODE_TEMPLATES),
    ...Object.entries(templates),
  ]);
  const language = negotiateLanguage(to.acceptLanguage, [...texts.keys()], [preferredLanguage, 'en']) ?? 'en';
  const own = Object.hasOwn(templates, language) ? templates[language] : undefined;
  const templateErrors: Error[] = [];
  if (own !== undefined) {
    try {
      return { message: messageOf(to, own, language), templateErrors };
    } catch (cause) {
      templateErrors.push(new Error(`The custom template for the language ${language} cannot be used.`, { cause }));
    }
  }
  const service = language === 'de' ? 'de' : 'en';
  return { message: messageOf(to, DEFAULT_CODE_TEMPLATES[service], service), templateErrors };
}

/** @throws Error when the template is invalid, the text lacks the code, the subject is empty, or an SMS is too long */
function messageOf(to: CodeMessageInput, texts: CodeTemplates, language: string): OutboundMessage {
  const sender = senderOf(to);
  if (to.channel === 'sms') return { channel: 'sms', to: to.destination, text: smsText(to, texts.sms, sender) };
  const text = rendered(texts.text, to, sender);
  const subject = oneLine(rendered(texts.subject, to, sender), SUBJECT_CHARACTERS_MAX);
  requireCode(text, to.code);
  if (subject === '') throw new Error('The subject is empty.');
  const html = renderHtmlBody({ subject, text, code: to.code, language });
  return { channel: 'email', to: to.destination, sender, subject, text, html, language };
}

const senderOf = ({ sender }: CodeMessageInput): string => oneLine(sender, NAME_CHARACTERS_MAX);

/** Renders without HTML escaping, because the result is plain text. `renderHtmlBody` escapes it. */
function rendered(template: string, { code, minutes }: CodeMessageInput, sender: string): string {
  return mustache.render(template, { code, minutes, sender }, {}, { escape: String }).toWellFormed();
}

function requireCode(text: string, code: string): void {
  if (!text.includes(code)) throw new Error('The text does not contain the code.');
}

/**
 * Shortens the sender's name until the text fits into one SMS. If no name is short enough, keeps the whole name. Adds
 * the origin line only if text and line fit into one SMS.
 */
function smsText(to: CodeMessageInput, template: string, sender: string): string {
  const letters = Array.from(sender);
  let text = rendered(template, to, sender);
  while (!fitsOneSms(text) && letters.length > 1) {
    letters.pop();
    text = rendered(template, to, `${letters.join('').trim()}.`);
  }
  if (!fitsOneSms(text)) text = rendered(template, to, sender);
  requireCode(text, to.code);
  if (text.length > SMS_CHARACTERS_MAX)
    throw new Error(`The text has ${text.length} characters, but an SMS has at most ${SMS_CHARACTERS_MAX}.`);
  const bound = `${text}${originLine(to)}`;
  return fitsOneSms(bound) ? bound : text;
}

/**
 * Returns the last line of a message with an origin-bound one-time code (WICG). Browsers offer the code only on pages
 * whose hostname is in this line. Returns an empty text if the page has no https origin.
 */
function originLine({ boundOrigin, code }: CodeMessageInput): string {
  const page = boundOrigin === undefined ? null : URL.parse(boundOrigin);
  return page?.protocol === 'https:' ? `\n\n@${page.hostname} #${code}` : '';
}
