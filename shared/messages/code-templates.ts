/** Mustache templates of a message with a code; variables: `code`, `minutes`, `sender`. */
export type CodeTemplates = { subject: string; text: string; sms: string };

/**
 * Default templates by language. The SMS templates use only characters of the GSM alphabet, so that an SMS has 160
 * characters. They also fit into 70 characters, the limit when the sender's name needs UCS-2. The code comes first, so
 * that lock screens show it.
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
