import { expect, test } from 'vitest';
import {
  expectVoiceFailure,
  FAULTS,
  isSilent,
  KEY,
  says,
  useElevenLabs,
} from '../../../support/training/elevenlabs-server.ts';

const { server, voice } = useElevenLabs();

const turns = [
  { role: 'agent', message: 'Hello?', time_in_call_secs: 0, tool_calls: null, interrupted: true },
  { role: 'user', message: 'Hello, Alex.', time_in_call_secs: 2, tool_calls: null, interrupted: false },
];
/** As `GET /v1/convai/conversations/{id}` documents it. */
const aConversation = (changes: object = {}) => ({
  agent_id: 'agent_1',
  conversation_id: 'conv_1',
  status: 'done',
  transcript: turns,
  metadata: { start_time_unix_secs: 1_714_423_232, call_duration_secs: 64, cost: 296, termination_reason: '' },
  analysis: { call_successful: 'success', transcript_summary: 'Short.' },
  has_audio: true,
  has_user_audio: true,
  has_response_audio: true,
  ...changes,
});

test('a conversation that is over: its turns, length, interruptions and whether it can be heard', async () => {
  server().conversations.set('conv_1', aConversation());
  expect(await voice().readConversation('conv_1')).toEqual({
    state: 'ended',
    conversation: {
      conversationId: 'conv_1',
      turns: [
        { role: 'agent', message: 'Hello?', timeInCallSecs: 0 },
        { role: 'user', message: 'Hello, Alex.', timeInCallSecs: 2 },
      ],
      durationSeconds: 64,
      interruptions: 1,
      hasAudio: true,
    },
  });
  expect(server().calls).toMatchObject([
    { method: 'GET', url: '/v1/convai/conversations/conv_1', headers: { 'xi-api-key': KEY } },
  ]);
});

test.each(['initiated', 'in-progress', 'processing'])('%s: it is still going', async (status) => {
  server().conversations.set('conv_1', aConversation({ status }));
  expect(await voice().readConversation('conv_1')).toEqual({ state: 'in-progress' });
});

test('failed before the trainee said anything: a reason for a person', async () => {
  const metadata = { error: { code: 1002, reason: 'Alex: sk_internal' } };
  server().conversations.set('conv_1', aConversation({ status: 'failed', transcript: turns.slice(0, 1), metadata }));
  const state = await voice().readConversation('conv_1');
  expect(state).toEqual({ state: 'failed', reason: expect.stringMatching(/failed .* Open a new session/) });
});

test('failed in its middle: what was said counts', async () => {
  server().conversations.set('conv_1', aConversation({ status: 'failed' }));
  expect(await voice().readConversation('conv_1')).toMatchObject({ state: 'ended', conversation: { turns: [{}, {}] } });
});

test('failed with nothing that can be read: failed all the same', async () => {
  server().conversations.set('conv_1', aConversation({ status: 'failed', transcript: null }));
  expect(await voice().readConversation('conv_1')).toMatchObject({ state: 'failed' });
});

test('404: the provider knows of none', async () => {
  expect(await voice().readConversation('conv_other')).toEqual({ state: 'unknown' });
});

test('an id leads nowhere else', async () => {
  expect(await voice().readConversation('../agents/list?x=1#y')).toEqual({ state: 'unknown' });
  expect(server().calls[0]?.url).toBe('/v1/convai/conversations/..%2Fagents%2Flist%3Fx%3D1%23y');
});

test.each([
  ...FAULTS,
  ['a page', says(200, '<html>Alex</html>'), /other than a conversation/],
  ['another status', says(200, JSON.stringify(aConversation({ status: 'paused' }))), /other than a conversation/],
  ['no turns', says(200, JSON.stringify(aConversation({ transcript: 'Alex' }))), /can not be read/],
  ['a list', says(200, '[]'), /other than a conversation/],
] as const)('%s: a failure, which is neither over nor unknown, and is asked about once', async (_, fault, sentence) => {
  server().faults.push(fault);
  await expectVoiceFailure(voice().readConversation('conv_1'), sentence);
  expect(server().calls).toHaveLength(1);
});

test('slow: a failure when the time is up', async () => {
  server().faults.push(isSilent);
  const impatient = voice({ timeouts: { conversation: 300 } });
  await expectVoiceFailure(impatient.readConversation('conv_1'), /no answer in time/);
});

test('ten thousand turns with all that the provider measures are read', async () => {
  const transcript = Array.from({ length: 10_000 }, (_, at) => ({
    ...{ role: at % 2 ? 'user' : 'agent', message: 'Word '.repeat(20), time_in_call_secs: at, tool_calls: [] },
    conversation_turn_metrics: { metrics: { convai_llm_service_ttfb: { elapsed_time: 0.123456789 } } },
  }));
  server().conversations.set('conv_1', aConversation({ transcript }));
  const state = await voice().readConversation('conv_1');
  expect(state.state === 'ended' && state.conversation.turns.length).toBe(10_000);
});

test('a conversation above 16 MB is a failure', async () => {
  server().conversations.set('conv_1', aConversation({ extra: 'x'.repeat(17_000_000) }));
  await expectVoiceFailure(voice().readConversation('conv_1'), /more than anybody reads/);
});
