import type { NewPersona } from '../persona.ts';

/** The provider's default of ten minutes would cut a longer talk off. */
const CALL_SECONDS_MAX = 3_600;

/** Only these two are both fast and let into an agent of the language: any other combination is refused. */
const speechModel = (language: NewPersona['language']): string =>
  language === 'en' ? 'eleven_flash_v2' : 'eleven_flash_v2_5';

/** What is said where a session brought no words of its own: an agent talks for a training session only. */
const WITHOUT_SESSION = {
  de: {
    first: 'Dieses Gespräch gehört zu keiner Übung. Auf Wiederhören.',
    prompt: 'Sag, dass dieses Gespräch zu keiner Übung gehört, und verabschiede dich.',
  },
  en: {
    first: 'This conversation belongs to no training session. Goodbye.',
    prompt: 'Say that this conversation belongs to no training session, and say goodbye.',
  },
} as const;

/**
 * The agent of a persona, as `POST /v1/convai/agents/create` takes it. Nobody talks to it without a signed URL; a
 * session may bring its prompt and its first message, and change nothing else. How long the provider keeps what was
 * said is its own setting, which is left to the operator.
 */
export function newAgent({ name, language, voiceId }: NewPersona) {
  const { first, prompt } = WITHOUT_SESSION[language];
  return {
    name,
    conversation_config: {
      agent: { language, first_message: first, prompt: { prompt } },
      tts: { model_id: speechModel(language), ...(voiceId !== undefined && { voice_id: voiceId }) },
      conversation: { max_duration_seconds: CALL_SECONDS_MAX },
    },
    platform_settings: {
      auth: { enable_auth: true },
      overrides: { conversation_config_override: { agent: { first_message: true, prompt: { prompt: true } } } },
    },
  };
}
