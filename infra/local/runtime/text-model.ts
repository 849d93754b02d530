import { API_KEY_UNSET } from '../../../shared/ai/configured-model.ts';
import { completionsUrl } from '../../../shared/ai/openai/openai-endpoint.ts';
import { UserError } from '../../common/user-error.ts';

/**
 * The text model on this machine: the OpenAI-compatible server at `AI_BASE_URL`, or the built-in writer if it is unset.
 *
 * @throws UserError for a URL that is neither https nor on this machine
 */
export function modelProvider(): 'openai' | 'builtin' {
  const baseUrl = process.env.AI_BASE_URL;
  if (!baseUrl) return 'builtin';
  try {
    completionsUrl(baseUrl);
    return 'openai';
  } catch (cause) {
    const message = 'AI_BASE_URL must be https, or http on this machine, for example http://127.0.0.1:11434/v1.';
    throw new UserError(message, { cause });
  }
}

/** The API key of that server, if it needs one. */
export const modelKey = (): string => process.env.AI_API_KEY || API_KEY_UNSET;
