import { parseSecureBaseUrl } from '../../platform/secure-base-url.ts';

/**
 * The chat completions URL of an OpenAI-compatible base URL such as `http://127.0.0.1:11434/v1`.
 *
 * @throws Error if the URL is not secure (`parseSecureBaseUrl`), because requests contain prompts and the API key
 */
export function completionsUrl(baseUrl: string): URL {
  const url = parseSecureBaseUrl(baseUrl);
  if (url === undefined) {
    throw new Error('AI_BASE_URL must be an https URL, or an http URL of this machine, without credentials.');
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`;
  return url;
}
