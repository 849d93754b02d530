import { API_KEY_UNSET } from '../../../shared/ai/configured-model.ts';
import { completionsUrl } from '../../../shared/ai/openai/openai-endpoint.ts';
import { UserError } from '../friendly-error.ts';

/**
 * Who answers prompts on this machine: the OpenAI-compatible server that `AI_BASE_URL` names, else the built-in writer.
 *
 * @throws FriendlyError for a URL that prompts must not be sent to
 */
export function modelProvider(): 'openai' | 'builtin' {
  const baseUrl = process.env.AI_BASE_URL;
  if (!baseUrl) return 'builtin';
  try {
    completionsUrl(baseUrl);
    return 'openai';
  } catch (cause) {
    throw new UserError('AI_BASE_URL must be https, or http on this machine, for example http://127.0.0.1:11434/v1.', {
      cause,
    });
  }
}

/** That server's key, where it needs one. */
export const modelKey = (): string => process.env.AI_API_KEY || API_KEY_UNSET;
