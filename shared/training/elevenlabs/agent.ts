import type { NewPersona } from '../persona.ts';

/** The provider's default of ten minutes is too short for some calls. */
const CALL_SECONDS_MAX = 3_600;

/** For each language, the provider accepts only one of its two fast models. */
const speechModelOf = (language: NewPersona['language']): string =>
  language === 'en' ? 'eleven_flash_v2' : 'eleven_flash_v2_5';

/** The texts of a conversation that was started without a training session. Every training session overrides them. */
const DEFAULT_TEXTS = {
  de: {
    firstMessage: 'Dieses Gespräch gehört zu keiner Übung. Auf Wiederhören.',
    prompt: 'Sag, dass dieses Gespräch zu keiner Übung gehört, und verabschiede dich.',
  },
  en: {
    firstMessage: 'This conversation belongs to no training session. Goodbye.',
    prompt: 'Say that this conversation belongs to no training session, and say goodbye.',
  },
} as const;

/**
 * The body of `POST /v1/convai/agents/create` for a persona's agent. A conversation requires a signed URL. A session
 * can override only the prompt and the first message. How long conversations are stored is not set here, because the
 * operator configures it at the provider.
 */
export function toAgentRequest({ name, language, voiceId }: NewPersona) {
  const { firstMessage, prompt } = DEFAULT_TEXTS[language];
  return {
    name,
    conversation_config: {
      agent: { language, first_message: firstMessage, prompt: { prompt } },
      tts: { model_id: speechModelOf(language), ...(voiceId !== undefined && { voice_id: voiceId }) },
      conversation: { max_duration_seconds: CALL_SECONDS_MAX },
    },
    platform_settings: {
      auth: { enable_auth: true },
      overrides: { conversation_config_override: { agent: { first_message: true, prompt: { prompt: true } } } },
    },
  };
}
