import type { CodeTemplates } from '../funnels/funnel.ts';

/**
 * The service's own texts by language. The SMS use letters of the GSM alphabet only, of which 160 make a message, and are
 * short enough for the 70 that are left when the sender's name is written with others. The code comes first, where lock
 * screens and notifications show it.
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
      'It is valid for {{minutes}} minutes. Please enter it only on the page where you asked for it.',
      'You did not ask for a code? Then there is nothing you need to do.',
      'Kind regards\n{{sender}}',
    ].join('\n\n'),
    sms: '{{code}} is your code for {{sender}}. Valid for {{minutes}} minutes.',
  },
};
