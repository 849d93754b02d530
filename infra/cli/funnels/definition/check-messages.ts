import { CodeTemplates } from '../../../../shared/funnels/funnel.ts';
import { renderCodeMessage } from '../../../../shared/messages/code-message.ts';
import { DEFAULT_CODE_TEMPLATES } from '../../../../shared/messages/code-templates.ts';
import { quoteShortened, type ValidationIssue } from '../../json-document/issues.ts';
import { memberAt, stringAt } from '../../json-document/untyped-access.ts';

const MESSAGES_MAX = 50;

/**
 * Reports invalid language tags, messages in too many languages, messages that cannot be sent, and a preferred language
 * without messages.
 */
export function checkMessages(file: unknown): ValidationIssue[] {
  const verification = memberAt(file, 'verification');
  const messages = messagesIn(verification);
  const languages = messages.map(([language]) => language);
  const at = ['verification', 'messages'];
  return [
    ...languageFindings(file, ['language']),
    ...preferredFindings(verification, languages),
    ...(messages.length > MESSAGES_MAX ? [{ at, message: `Must have at most ${MESSAGES_MAX} languages` }] : []),
    ...messages
      .slice(0, MESSAGES_MAX)
      .flatMap(([language, message]) => [
        ...languageIssues(language, [...at, language]),
        ...templateFindings(message, language),
      ]),
  ];
}

function messagesIn(verification: unknown): [string, unknown][] {
  const messages = memberAt(verification, 'messages');
  return typeof messages === 'object' && messages !== null && !Array.isArray(messages) ? Object.entries(messages) : [];
}

function languageFindings(within: unknown, at: readonly string[]): ValidationIssue[] {
  const language = stringAt(within, 'language');
  return language === undefined ? [] : languageIssues(language, at);
}

function languageIssues(language: string, at: readonly string[]): ValidationIssue[] {
  return isLanguage(language)
    ? []
    : [{ at, message: `${quoteShortened(language)} is not a language tag such as de or pt-BR` }];
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/**
 * Reports a preferred language if both the file and the service lack messages in this language. The service would
 * silently ignore the language.
 */
function preferredFindings(verification: unknown, own: readonly string[]): ValidationIssue[] {
  const language = stringAt(verification, 'language');
  if (language === undefined) return [];
  const at = ['verification', 'language'];
  if (!isLanguage(language)) return languageIssues(language, at);
  const known = [...new Set([...own.filter(isLanguage), ...Object.keys(DEFAULT_CODE_TEMPLATES)])];
  const wanted = language.toLowerCase();
  const isThere = known.some((tag) => tag.toLowerCase() === wanted || tag.toLowerCase() === wanted.split('-')[0]);
  if (isThere) return [];
  return [
    {
      at,
      message: `There are no messages in ${quoteShortened(language)}: add them to messages, or give one of ${known.join(', ')}`,
    },
  ];
}

/**
 * Renders the texts as the service does, and reports texts that cannot be sent. The service would silently replace
 * such a text with a built-in text.
 */
function templateFindings(message: unknown, language: string): ValidationIssue[] {
  const { success, data } = CodeTemplates.safeParse(message);
  if (!success) return [];
  const to = {
    code: '123456',
    minutes: 10,
    sender: 'Name',
    boundOrigin: undefined,
    templates: { [language]: data },
    preferredLanguage: language,
    acceptLanguage: language,
  };
  return (['email', 'sms'] as const).flatMap((channel) => {
    const { templateErrors } = renderCodeMessage({ ...to, channel, destination: '' });
    return templateErrors.map(({ cause }): ValidationIssue => {
      const why = cause instanceof Error ? cause.message.replace(/\.$/, '') : String(cause);
      const part = channel === 'sms' ? 'sms' : why.includes('subject') ? 'subject' : 'text';
      return { at: ['verification', 'messages', language, part], message: `Cannot be sent: ${why}` };
    });
  });
}
