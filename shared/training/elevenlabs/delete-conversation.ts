import type { SecretStore } from '../../platform/secret-store.ts';
import type { VoiceProvider } from '../voice-provider.ts';
import { createElevenLabsClient, type SendRequest, toResponseError } from './http-client.ts';
import { createElevenLabsSettings } from './settings.ts';

const TIMEOUT_MS = 20_000;

/** The provider of this deployment for who only has it forget: apart from the rest, which would double a bundle of ours. */
export const createConversationDeleter = (secrets: SecretStore): Pick<VoiceProvider, 'deleteConversation'> => ({
  deleteConversation: deleteConversationWith(createElevenLabsClient(createElevenLabsSettings(secrets))),
});

/** `DELETE /v1/convai/conversations/{id}` (https://elevenlabs.io/docs/api-reference/conversations/delete). */
export const deleteConversationWith =
  (ask: SendRequest, timeoutMs = TIMEOUT_MS): VoiceProvider['deleteConversation'] =>
  async (id) => {
    const path = `conversations/${encodeURIComponent(id)}`;
    const answer = await ask({ path, method: 'DELETE', signal: AbortSignal.timeout(timeoutMs) });
    if (!answer.ok && answer.status !== 404) throw await toResponseError(answer);
    await answer.body?.cancel();
    return answer.ok ? 'forgotten' : 'unknown';
  };
