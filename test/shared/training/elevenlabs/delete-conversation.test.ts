import { expect, test } from 'vitest';
import {
  expectVoiceProviderError,
  FAULTS,
  KEY,
  neverRespond,
  useElevenLabs,
} from '../../../support/training/elevenlabs-server.ts';

const { server, voice } = useElevenLabs();

test('deleteConversation deletes a conversation and its recording at the provider', async () => {
  server().conversations.set('conv_1', {});
  server().recordings.set('conv_1', Buffer.from('sound'));
  expect(await voice().deleteConversation('conv_1')).toBe('deleted');
  expect(server().calls).toMatchObject([
    { method: 'DELETE', url: '/v1/convai/conversations/conv_1', headers: { 'xi-api-key': KEY }, body: '' },
  ]);
  expect(await voice().readConversation('conv_1')).toEqual({ state: 'unknown' });
  expect(await voice().fetchRecording('conv_1')).toBeUndefined();
});

test('deleteConversation returns `unknown` if the provider does not have the conversation', async () => {
  expect(await voice().deleteConversation('conv_1')).toBe('unknown');
});

test('deleteConversation encodes the id in the path', async () => {
  await voice().deleteConversation('../agents/agent_1');
  expect(server().calls[0]?.url).toBe('/v1/convai/conversations/..%2Fagents%2Fagent_1');
});

test.each(FAULTS)('deleteConversation throws a VoiceProviderError after %s', async (_, fault, message) => {
  server().faults.push(fault);
  await expectVoiceProviderError(voice().deleteConversation('conv_1'), message);
});

test('deleteConversation throws a VoiceProviderError if the provider does not respond before the time-out', async () => {
  server().faults.push(neverRespond);
  await expectVoiceProviderError(voice({ timeouts: { conversation: 50 } }).deleteConversation('conv_1'), /time-out/);
});
