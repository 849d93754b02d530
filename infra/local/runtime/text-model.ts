import { API_KEY_UNSET } from '../../../shared/ai/configured-model.ts';
import { completionsUrl } from '../../../shared/ai/openai/openai-endpoint.ts';
import { UserError } from '../../common/user-error.ts';

/**
 * Returns the provider of the text model: the OpenAI-compatible server at `AI_BASE_URL`, or the built-in writer if this
 * variable is not set.
 *
 * @throws UserError for an invalid URL, for http to another machine, and for a URL with credentials
 */
export function modelProvider(): 'openai' | 'builtin' {
  const baseUrl = process.env.AI_BASE_URL;
  if (!baseUrl) return 'builtin';
  try {
    completionsUrl(baseUrl);
    return 'openai';
  } catch (cause) {
    const message =
      'AI_BASE_URL must be an https URL, or an http URL of this machine such as http://127.0.0.1:11434/v1. ' +
      'It must not contain credentials.';
    throw new UserError(message, { cause });
  }
}

/** Returns the API key of the server at `AI_BASE_URL`, or a placeholder if no key is set. */
export const modelKey = (): string => process.env.AI_API_KEY || API_KEY_UNSET;
