/** Mustache templates of a message with a code. Their variables are `code`, `minutes` and `sender`. */
export type CodeTemplates = { subject: string; text: string; sms: string };

/**
 * Default templates by language. The SMS templates use only the GSM alphabet, in which an SMS can have 160 characters.
 * If the name of the sender needs UCS-2, an SMS can have 70 characters. More than 20 of them are left for the name.
 * Subjects and SMS begin with the code, so that lock screens show the code.
 */
export const DEFAULT_CODE_TEMPLATES: Record<'de' | 'en', CodeTemplates> = {
  de: {
    subject: '{{code}} ist Ihr Bestätigungscode',
    text: [
      'Guten Tag,',
      'Ihr Bestätigungscode lautet:',
      '{{code}}',
      'Er gilt {{minutes}} Minuten. Bitte geben Sie ihn nur auf der Seite ein, auf der Sie ihn angefordert haben.',
      'Sie haben keinen Code angefordert? Dann brauchen Sie nichts zu tun.',
      'Freundliche Grüße\n{{sender}}',
    ].join('\n\n'),
    sms: '{{code}} ist Ihr Code für {{sender}}. Er gilt {{minutes}} Minuten.',
  },
  en: {
    subject: '{{code}} is your verification code',
    text: [
      'Hello,',
      'Your verification code is:',
      '{{code}}',
      'It is valid for {{minutes}} minutes. Please enter it only on the page where you requested it.',
      'You did not request a code? Then there is nothing you need to do.',
      'Kind regards\n{{sender}}',
    ].join('\n\n'),
    sms: '{{code}} is your code for {{sender}}. Valid for {{minutes}} minutes.',
  },
};
