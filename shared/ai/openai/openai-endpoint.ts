import { parseSecureBaseUrl } from '../../platform/secure-base-url.ts';

/**
 * Where chat completions are asked for, below an OpenAI-compatible base URL such as `http://127.0.0.1:11434/v1`.
 *
 * @throws Error, a sentence for the operator, unless it is https, or http on this machine: prompts and the key are
 *   nobody else's business
 */
export function completionsUrl(baseUrl: string): URL {
  const url = parseSecureBaseUrl(baseUrl);
  if (url === undefined) {
    throw new Error('The base URL of the model must be https (http on this machine only) and hold no password.');
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`;
  return url;
}
