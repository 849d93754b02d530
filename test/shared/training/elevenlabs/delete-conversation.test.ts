import { expect, test } from 'vitest';
import {
  expectVoiceFailure,
  FAULTS,
  isSilent,
  KEY,
  useElevenLabs,
} from '../../../support/training/elevenlabs-server.ts';

const { server, voice } = useElevenLabs();

test('a conversation is deleted at the provider by its id, with the key', async () => {
  server().conversations.set('conv_1', {});
  server().recordings.set('conv_1', Buffer.from('sound'));
  expect(await voice().deleteConversation('conv_1')).toBe('deleted');
  expect(server().calls).toMatchObject([
    { method: 'DELETE', url: '/v1/convai/conversations/conv_1', headers: { 'xi-api-key': KEY }, body: '' },
  ]);
  expect(await voice().readConversation('conv_1')).toEqual({ state: 'unknown' });
  expect(await voice().fetchRecording('conv_1')).toBeUndefined();
});

test('one that the provider does not know is done', async () => {
  expect(await voice().deleteConversation('conv_1')).toBe('unknown');
});

test('an id stays one part of the path', async () => {
  await voice().deleteConversation('../agents/agent_1');
  expect(server().calls[0]?.url).toBe('/v1/convai/conversations/..%2Fagents%2Fagent_1');
});

test.each(FAULTS)('%s is a failure: whether it was deleted is not known', async (_, fault, sentence) => {
  server().faults.push(fault);
  await expectVoiceFailure(voice().deleteConversation('conv_1'), sentence);
});

test('a provider that does not answer is a failure in time', async () => {
  server().faults.push(isSilent);
  await expectVoiceFailure(voice({ timeouts: { conversation: 50 } }).deleteConversation('conv_1'), /no answer in time/);
});
