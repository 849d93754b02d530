import type * as z from 'zod/mini';
import { parseSecureBaseUrl } from '../../platform/secure-base-url.ts';
import { VoiceProviderError } from '../voice-provider.ts';

export type HttpSettings = {
  /** The origin of the API, for example `https://api.elevenlabs.io`. */
  baseUrl: () => string;
  apiKey: () => Promise<string>;
};

/** A request below `/v1/convai/`; with a body it is a POST, else a GET. The signal bounds its answer to the last byte. */
type Request = { path: string; method?: 'DELETE'; body?: object; accept?: string; signal: AbortSignal };

/** Asks the provider. Any answer resolves, whatever its status. @throws VoiceFailure when there is none */
export type SendRequest = (request: Request) => Promise<Response>;

/** What an HTTP header can carry, and every key has been so far. */
const KEY = /^[\x21-\x7e]{1,512}$/;

export function createElevenLabsClient({ baseUrl, apiKey }: HttpSettings): SendRequest {
  return async ({ path, method, body, accept = 'application/json', signal }) => {
    const base = parseSecureBaseUrl(baseUrl());
    if (base === undefined) {
      throw new VoiceProviderError('The base URL of the voice provider must be https (http on this machine only).');
    }
    const key = (await apiKey()).trim();
    // Fetch would repeat a key that it can not send.
    if (!KEY.test(key)) throw new VoiceProviderError('The key of the voice provider holds characters that no key has.');
    const init = {
      headers: { 'xi-api-key': key, accept, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(method && { method }),
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      signal,
      // The key is for nobody but the one that is configured.
      redirect: 'manual' as const,
    };
    try {
      return await fetch(`${base.origin}${base.pathname.replace(/\/+$/, '')}/v1/convai/${path}`, init);
    } catch (error) {
      throw toConnectionError(error);
    }
  };
}

/** What an answer holds. @throws VoiceFailure unless it is a success in JSON, of this shape and not larger */
export async function readJson<T>(answer: Response, schema: z.ZodMiniType<T>, bytesMax: number): Promise<T> {
  if (!answer.ok) throw await toResponseError(answer);
  const parsed = schema.safeParse(parseJson(await readText(answer, bytesMax)));
  if (!parsed.success) throw new VoiceProviderError('The voice provider answered something else than its API says.');
  return parsed.data;
}

/** The failure that an answer without success is; its words may repeat ours and are left unread. */
export async function toResponseError({ status, body }: Response): Promise<VoiceProviderError> {
  await body?.cancel().catch(() => undefined);
  const why = status === 401 || status === 403 ? ': its key is wrong or may not do this' : '';
  return new VoiceProviderError(`The voice provider answered ${status}${why}.`);
}

/** The failure that a broken connection is. */
export function toConnectionError(error: unknown): VoiceProviderError {
  return new VoiceProviderError(`The voice provider could not be reached (${codeOf(error)}).`);
}

function codeOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'no answer in time';
  const cause = error instanceof Error ? error.cause : undefined;
  return typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : 'no connection';
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
  if (bytes > bytesMax) throw new VoiceProviderError('The voice provider answered more than anybody reads.');
  return Buffer.concat(chunks).toString();
}
