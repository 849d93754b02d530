import type { SecretStore } from '../../platform/secret-store.ts';
import type { VoiceProvider } from '../ports.ts';
import { createElevenLabsClient, type SendRequest, toResponseError } from './http-client.ts';
import { createElevenLabsSettings } from './settings.ts';

const TIMEOUT_MS = 20_000;

/** Separate from `createVoiceProvider`, which would double the size of the bundle of a function that only deletes. */
export const createConversationDeleter = (secrets: SecretStore): Pick<VoiceProvider, 'deleteConversation'> => ({
  deleteConversation: createDeleteConversation(createElevenLabsClient(createElevenLabsSettings(secrets))),
});

/** `DELETE /v1/convai/conversations/{id}` (https://elevenlabs.io/docs/api-reference/conversations/delete). */
export const createDeleteConversation =
  (send: SendRequest, timeoutMs = TIMEOUT_MS): VoiceProvider['deleteConversation'] =>
  async (id) => {
    const path = `conversations/${encodeURIComponent(id)}`;
    const response = await send({ path, method: 'DELETE', signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok && response.status !== 404) throw await toResponseError(response);
    await response.body?.cancel();
    return response.ok ? 'deleted' : 'unknown';
  };
