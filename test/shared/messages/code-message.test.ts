import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codeMessageSettings } from '../../../shared/funnels/code-message-settings.ts';
import { Funnel } from '../../../shared/funnels/funnel.ts';
import { renderCodeMessage } from '../../../shared/messages/code-message.ts';
import type { EmailMessage } from '../../../shared/messages/message.ts';
import { fitsOneSms } from '../../../shared/messages/sms-length.ts';
import { NAUGHTY_STRINGS } from '../../support/naughty-strings.ts';

type Said = { verification?: object; organization?: string; allowedOrigins?: string[] };
const CODE = '314159';

const compose = (
  channel: 'email' | 'sms',
  settings: Said = {},
  request: { language?: string; origin?: string } = {},
) => {
  const { verification = {}, organization = 'Northlight Solar', allowedOrigins = [] } = settings;
  const funnel = Funnel.parse({
    id: randomUUID(),
    orgId: randomUUID(),
    publishedVersionId: randomUUID(),
    verification,
    allowedOrigins,
  });
  return renderCodeMessage({
    channel,
    destination: 'ada@shop.example',
    code: CODE,
    minutes: 10,
    ...codeMessageSettings(funnel, organization, request.origin),
    acceptLanguage: request.language,
  });
};
const email = (...given: [settings?: Said, request?: { language?: string }]) =>
  compose('email', ...given).message as EmailMessage;
const sms = (...given: [settings?: Said, request?: { language?: string; origin?: string }]) =>
  compose('sms', ...given).message;

/** The text of an HTML body, without its tags. */
const wordsOf = (html: string): string =>
  html
    .replace(/^[\s\S]*<body[^>]*>/, '')
    .replace(/<br>/g, ' ')
    .replace(/<\/?(p|div|strong|body|html)\b[^>]*>/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim();
const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();

test.each(['de', 'en'])(
  'in the language %s, the default e-mail has the code in the subject, and code, validity and sender in each body',
  (language) => {
    const message = email({}, { language });
    expect(message.subject).toContain(CODE);
    expect(message.text).toMatch(new RegExp(`^${CODE}$`, 'm'));
    expect(message.text).toContain('10 ');
    expect(message.text).toContain('Northlight Solar');
    expect(message.html).toContain(`<html lang="${language}">`);
    expect(message.language).toBe(language);
    expect(wordsOf(message.html)).toBe(plain(message.text));
  },
);

test('the default e-mail loads nothing and has no links, scripts or hidden elements', () => {
  const { html } = email();
  expect(html).not.toMatch(
    /<(script|img|a|link|iframe|form|object|svg|style)\b|https?:|url\(|javascript:|display:\s*none/i,
  );
  for (const line of html.split('\n')) expect(Buffer.byteLength(line)).toBeLessThan(998);
});

test('if the funnel has a usable template in the visitor’s language, a message uses it, not the default template', () => {
  const messages = {
    de: { subject: 'Code {{code}}', text: 'Hallo!\n\nIhr Code {{code}}, {{minutes}} min.', sms: '{{code}}!' },
  };
  const settings = { verification: { messages, sender: 'Anna & Söhne <GmbH>' } };
  expect(email(settings, { language: 'de-AT' })).toMatchObject({
    subject: `Code ${CODE}`,
    sender: 'Anna & Söhne <GmbH>',
  });
  expect(email(settings, { language: 'de' }).html).toContain(`Ihr Code <strong>${CODE}</strong>, 10 min.`);
  expect(email(settings, { language: 'en' }).text).toContain('Anna & Söhne <GmbH>');
  expect(email(settings, { language: 'en' }).html).toContain('Anna &amp; Söhne &lt;GmbH&gt;');
  expect(sms(settings, { language: 'de' })).toMatchObject({ text: `${CODE}!` });
});

test('if no template is in the visitor’s language, a message is in the funnel’s language, or else in English', () => {
  expect(email({ verification: { language: 'de' } }, { language: 'fr' }).language).toBe('de');
  expect(email({ verification: { language: 'en' } }, { language: 'fr' }).language).toBe('en');
  expect(email({ verification: { language: 'fr' } }, {}).language).toBe('en');
  expect(email({}, { language: 'en;q=0, de' }).language).toBe('de');
});

test.each([
  ['is not a valid template', { subject: 'x', text: '{{#code}', sms: '{{#code}' }],
  ['does not contain the code', { subject: 'x', text: 'Your code is secret.', sms: 'Your code is secret.' }],
  [
    'is longer than any SMS and has no subject',
    { subject: ' ', text: '{{code}}', sms: `{{code}}${'x'.repeat(2_000)}` },
  ],
])('a funnel’s template that %s is not used, and its error is returned', (_, own) => {
  for (const channel of ['email', 'sms'] as const) {
    const { message, templateErrors } = compose(channel, { verification: { messages: { de: own } } });
    expect(message.text).toContain(CODE);
    expect(templateErrors).toHaveLength(1);
    expect(templateErrors.map(String).join()).not.toContain(CODE);
  }
});

test('the default SMS contains the code and fits into one SMS for any name of the sender', () => {
  const name = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 100 }), fc.constantFrom(...NAUGHTY_STRINGS));
  fc.assert(
    fc.property(name, fc.constantFrom('de', 'en'), (organization, language) => {
      const { text } = sms({ organization }, { language });
      expect(text).toContain(CODE);
      expect(fitsOneSms(text)).toBe(true);
    }),
  );
});

test('an SMS ends with hostname and code only for an https page of an allowed origin', () => {
  const listed = { allowedOrigins: ['https://shop.example', 'http://localhost:3001'] };
  expect(sms(listed, { origin: 'https://shop.example' }).text).toMatch(/\n\n@shop\.example #314159$/);
  expect(sms(listed, { origin: 'http://localhost:3001' }).text).not.toContain('@');
  expect(sms({}, { origin: 'https://evil.example' }).text).not.toContain('evil');
  expect(sms(listed, {}).text).not.toContain('@');
});

test('a sender name or template text cannot inject a line break into a header, or an element into the HTML', () => {
  const naughty = fc.oneof(
    fc.constantFrom(...NAUGHTY_STRINGS, 'Ada\r\nBcc: eve@shop.example', 'x\u2028y', '</p><script>alert(1)</script>'),
    fc.string({ unit: 'binary', maxLength: 80 }),
  );
  fc.assert(
    fc.property(naughty, naughty, (sender, words) => {
      const own = {
        subject: `{{sender}} ${words} {{code}}`,
        text: `${words}\n\n{{code}}\n\n{{sender}}`,
        sms: '{{code}}',
      };
      const message = email({ verification: { messages: { de: own } }, organization: sender });
      for (const line of [message.subject, message.sender]) expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
      expect(Array.from(message.sender).length).toBeLessThanOrEqual(100);
      const elements = [...message.html.matchAll(/<(\/?\w+)/g)].map(([, name]) => name);
      expect(elements.filter((name) => !/^\/?(html|head|meta|title|body|div|p|br|strong)$/.test(name ?? ''))).toEqual(
        [],
      );
      expect(message.html.isWellFormed() && message.text.isWellFormed()).toBe(true);
    }),
    { numRuns: 300 },
  );
});
