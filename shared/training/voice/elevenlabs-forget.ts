import type { Secrets } from '../../platform/secrets.ts';
import { configuredHttp } from './configured-http.ts';
import { type Ask, elevenLabsHttp, refusal } from './elevenlabs-http.ts';
import type { VoiceProvider } from './voice-provider.ts';

const TIMEOUT_MS = 20_000;

/** The provider of this deployment for who only has it forget: apart from the rest, which would double a bundle of ours. */
export const configuredForgetting = (secrets: Secrets): Pick<VoiceProvider, 'forget'> => ({
  forget: forgetting(elevenLabsHttp(configuredHttp(secrets))),
});

/** `DELETE /v1/convai/conversations/{id}` (https://elevenlabs.io/docs/api-reference/conversations/delete). */
export const forgetting =
  (ask: Ask, timeoutMs = TIMEOUT_MS): VoiceProvider['forget'] =>
  async (id) => {
    const path = `conversations/${encodeURIComponent(id)}`;
    const answer = await ask({ path, method: 'DELETE', signal: AbortSignal.timeout(timeoutMs) });
    if (!answer.ok && answer.status !== 404) throw await refusal(answer);
    await answer.body?.cancel();
    return answer.ok ? 'forgotten' : 'unknown';
  };
