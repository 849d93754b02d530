import type * as z from 'zod/mini';
import { parseSecureBaseUrl } from '../../platform/secure-base-url.ts';
import { VoiceProviderError } from '../voice-provider-errors.ts';

export type ElevenLabsSettings = {
  /** The base URL of the API, for example `https://api.elevenlabs.io`. */
  baseUrl: () => string;
  apiKey: () => Promise<string>;
};

/**
 * `path` is below `/v1/convai/`. A request with a body is sent as POST, a request without `method` and `body` as GET.
 * `signal` also aborts reading the body of the response.
 */
type Request = { path: string; method?: 'DELETE'; body?: object; accept?: string; signal: AbortSignal };

/**
 * Resolves for a response of any status.
 *
 * @throws VoiceProviderError when there is no response, the base URL is invalid, or the API key can't be read or is
 *   invalid
 */
export type SendRequest = (request: Request) => Promise<Response>;

/** Printable ASCII, as an HTTP header requires. */
const API_KEY = /^[\x21-\x7e]{1,512}$/;

export function createElevenLabsClient({ baseUrl, apiKey }: ElevenLabsSettings): SendRequest {
  return async ({ path, method, body, accept = 'application/json', signal }) => {
    const base = parseSecureBaseUrl(baseUrl());
    if (base === undefined) {
      throw new VoiceProviderError(
        'VOICE_BASE_URL must be an https URL, or an http URL of this machine, without credentials.',
      );
    }
    const key = (await apiKey()).trim();
    // An invalid key is rejected here, because `fetch` would quote it in an error message.
    if (!API_KEY.test(key)) {
      throw new VoiceProviderError(
        'The API key of the voice provider has invalid characters or more than 512 characters. Put the key of ElevenLabs into the secret that VOICE_SECRET_ID names.',
      );
    }
    const init = {
      headers: { 'xi-api-key': key, accept, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(method && { method }),
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      signal,
      // Redirects are not followed, because a redirect could send the key to another host.
      redirect: 'manual' as const,
    };
    try {
      return await fetch(`${base.origin}${base.pathname.replace(/\/+$/, '')}/v1/convai/${path}`, init);
    } catch (error) {
      throw toConnectionError(error);
    }
  };
}

/**
 * @throws VoiceProviderError for an error status, a body that breaks off or has more than `bytesMax` bytes, or JSON
 *   that does not match the schema
 */
export async function readJson<T>(response: Response, schema: z.ZodMiniType<T>, bytesMax: number): Promise<T> {
  if (!response.ok) throw await toResponseError(response);
  const parsed = schema.safeParse(parseJson(await readText(response, bytesMax)));
  if (!parsed.success) {
    const invalid = parsed.error.issues.map(({ path }) => path.join('.') || 'the body').join(', ');
    throw new VoiceProviderError(`The response of the voice provider does not match its API. Invalid: ${invalid}.`);
  }
  return parsed.data;
}

/** Does not read the body, because it may quote the request. */
export async function toResponseError({ status, body }: Response): Promise<VoiceProviderError> {
  await body?.cancel().catch(() => undefined);
  const hint = status === 401 || status === 403 ? ': the API key is invalid or lacks a permission' : '';
  return new VoiceProviderError(`The voice provider responded with status ${status}${hint}.`);
}

export function toConnectionError(error: unknown): VoiceProviderError {
  return new VoiceProviderError(`The connection to the voice provider failed (${codeOf(error)}).`);
}

function codeOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'time-out';
  const cause = error instanceof Error ? error.cause : undefined;
  return typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : 'unknown cause';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readText({ body }: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body ?? []) {
      bytes += chunk.length;
      if (bytes > bytesMax) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw toConnectionError(error);
  }
  if (bytes > bytesMax)
    throw new VoiceProviderError(`The response of the voice provider is too large: more than ${bytesMax} bytes.`);
  return Buffer.concat(chunks).toString();
}
