import { describe, expect, test } from 'vitest';
import { freePort } from '../../../support/free-port.ts';
import {
  breakConnection,
  expectVoiceProviderError,
  FAULTS,
  json,
  KEY,
  neverRespond,
  rejectionOf,
  respondWith,
  useElevenLabs,
} from '../../../support/training/elevenlabs-server.ts';

const { server, voice } = useElevenLabs();

describe('openVoiceSession', () => {
  test('sends the API key and no data of the call, and returns a signed URL and a conversation id', async () => {
    expect(await voice().openVoiceSession('agent 1&x=y')).toEqual({
      signedUrl: 'wss://provider.example/v1/convai/conversation?agent_id=agent 1&x=y&conversation_signature=once',
      conversationId: 'conv_1',
    });
    expect(server().calls).toMatchObject([
      {
        method: 'GET',
        url: '/v1/convai/conversation/get-signed-url?agent_id=agent+1%26x%3Dy&include_conversation_id=true',
        headers: { 'xi-api-key': KEY, accept: 'application/json' },
        body: '',
      },
    ]);
  });

  test('appends the path of the API to the path of the base URL', async () => {
    await rejectionOf(voice({ baseUrl: `${server().baseUrl}/proxy/` }).openVoiceSession('a'));
    expect(server().calls[0]?.url).toMatch(/^\/proxy\/v1\/convai\/conversation\//);
  });

  test.each([
    ['a broken connection', breakConnection],
    ['a 500', respondWith(500, 'Alex said …')],
    ['a 503', respondWith(503, '')],
    ['a 429', respondWith(429, '{"detail":"too many"}')],
  ])('retries once after %s', async (_, fault) => {
    server().faults.push(fault);
    expect(await voice().openVoiceSession('a')).toMatchObject({ conversationId: 'conv_2' });
    expect(server().calls).toHaveLength(2);
  });

  test.each([
    ['a broken connection', breakConnection, /connection to the voice provider failed/],
    ['a 500', respondWith(500, 'Alex said …'), /^The voice provider responded with status 500\.$/],
    ['a 429', respondWith(429, ''), /^The voice provider responded with status 429\.$/],
  ])('fails without a third attempt after %s in both attempts', async (_, fault, message) => {
    server().faults.push(fault, fault);
    await expectVoiceProviderError(voice().openVoiceSession('a'), message);
    expect(server().calls).toHaveLength(2);
  });

  test.each([400, 401, 403, 404, 422])('does not retry after a %d', async (status) => {
    server().faults.push(respondWith(status, JSON.stringify({ detail: `sk_other key, Alex` })));
    await expectVoiceProviderError(voice().openVoiceSession('a'), new RegExp(`responded with status ${status}`));
    expect(server().calls).toHaveLength(1);
  });

  test('fails after a 401 with the hint that the API key is invalid or lacks a permission', async () => {
    await expectVoiceProviderError(
      voice({ key: 'sk_wrong' }).openVoiceSession('a'),
      /responded with status 401: the API key is invalid or lacks a permission/,
    );
  });

  test('fails with ECONNREFUSED in the message when the connection is refused', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    await expectVoiceProviderError(voice({ baseUrl }).openVoiceSession('a'), /provider failed \(ECONNREFUSED\)/);
  });

  test('fails after the time-out, without a retry', async () => {
    server().faults.push(neverRespond);
    await expectVoiceProviderError(
      voice({ timeouts: { session: 1_000 } }).openVoiceSession('a'),
      /connection to the voice provider failed \(time-out\)/,
    );
    expect(server().calls).toHaveLength(1);
  });

  test('fails after the time-out when the response does not end', async () => {
    server().faults.push((response) => void response.writeHead(200).write('{"signed_url":'));
    await expectVoiceProviderError(voice({ timeouts: { session: 300 } }).openVoiceSession('a'), /time-out/);
  });

  test('does not follow a redirect, which would send the key to another host', async () => {
    server().faults.push(respondWith(307, '', { location: `${server().baseUrl}/elsewhere` }));
    await expectVoiceProviderError(voice().openVoiceSession('a'), /responded with status 307/);
    expect(server().calls).toHaveLength(1);
  });

  test.each([
    ['HTML', '<html>Alex</html>'],
    ['an empty body', ''],
    ['incomplete JSON', '{"signed_url":"wss://provider.example"'],
    ['null', 'null'],
    ['no conversation id', '{"signed_url":"wss://provider.example/once"}'],
    ['an empty conversation id', '{"signed_url":"wss://provider.example/once","conversation_id":""}'],
    [
      'an https URL in place of a WebSocket URL',
      '{"signed_url":"https://provider.example/once","conversation_id":"c"}',
    ],
    ['a javascript URL in place of a WebSocket URL', '{"signed_url":"javascript:alert(1)","conversation_id":"c"}'],
    ['numbers', '{"signed_url":1,"conversation_id":2}'],
    [
      'a conversation id of 201 characters',
      JSON.stringify({ signed_url: 'wss://p.example', conversation_id: 'c'.repeat(201) }),
    ],
  ])('fails after a 200 with %s', async (_, body) => {
    server().faults.push(respondWith(200, body));
    await expectVoiceProviderError(voice().openVoiceSession('a'), /does not match its API/);
  });

  test('stops reading an endless response', async () => {
    let written = 0;
    server().faults.push((response) => {
      const writeMore = () => {
        while (!response.destroyed && response.write(' '.repeat(65_536))) written += 65_536;
      };
      response.writeHead(200).on('drain', writeMore);
      writeMore();
    });
    await expectVoiceProviderError(voice().openVoiceSession('a'), /is too large/);
    expect(written).toBeLessThan(20_000_000);
  });

  test('fails when the body is cut off', async () => {
    server().faults.push((response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{');
      setImmediate(() => response.socket?.destroy());
    });
    await expectVoiceProviderError(voice().openVoiceSession('a'), /connection to the voice provider failed/);
  });

  test.each(['sk_with\nnewline', 'sk_ümlaut', 'sk_two words'])(
    'rejects a key that is invalid in a header, and does not quote the key',
    async (key) => {
      await expectVoiceProviderError(voice({ key }).openVoiceSession('a'), /has invalid characters/);
      expect(server().calls).toEqual([]);
    },
  );

  test('removes white space around the key', async () => {
    await voice({ key: ` ${KEY}\n` }).openVoiceSession('a');
    expect(server().calls[0]?.headers['xi-api-key']).toBe(KEY);
  });

  test.each(['http://provider.example', 'https://user:password@provider.example', 'file:///etc', 'provider', ''])(
    'rejects the base URL %j',
    async (baseUrl) => {
      await expectVoiceProviderError(voice({ baseUrl }).openVoiceSession('a'), /must be an https URL/);
    },
  );

  test('returns a separate conversation for each of many concurrent sessions', async () => {
    const sessions = await Promise.all(Array.from({ length: 20 }, () => voice().openVoiceSession('a')));
    expect(new Set(sessions.map(({ conversationId }) => conversationId)).size).toBe(20);
  });

  test('ignores unknown properties of a response', async () => {
    server().faults.push((response) =>
      json(response, 200, { signed_url: 'wss://p.example/x', conversation_id: 'c', expires_in: 900 }),
    );
    expect(await voice().openVoiceSession('a')).toEqual({ signedUrl: 'wss://p.example/x', conversationId: 'c' });
  });
});

describe('readConversation', () => {
  const turns = [
    { role: 'agent', message: 'Hello?', time_in_call_secs: 0, tool_calls: null, interrupted: true },
    { role: 'user', message: 'Hello, Alex.', time_in_call_secs: 2, tool_calls: null, interrupted: false },
  ];
  /** The documented format of `GET /v1/convai/conversations/{id}`. */
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

  test('returns turns, duration, interruptions and whether there is a recording for the status `done`', async () => {
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

  test.each(['initiated', 'in-progress', 'processing'])('returns `in-progress` for the status `%s`', async (status) => {
    server().conversations.set('conv_1', aConversation({ status }));
    expect(await voice().readConversation('conv_1')).toEqual({ state: 'in-progress' });
  });

  test('returns `failed`, without the provider’s reason, when the conversation failed before the trainee said anything', async () => {
    const metadata = { error: { code: 1002, reason: 'Alex: sk_internal' } };
    server().conversations.set('conv_1', aConversation({ status: 'failed', transcript: turns.slice(0, 1), metadata }));
    const state = await voice().readConversation('conv_1');
    expect(state).toEqual({ state: 'failed', reason: expect.stringMatching(/failed .* Open a new session/) });
  });

  test('returns `ended` when the conversation failed after the trainee said something', async () => {
    server().conversations.set('conv_1', aConversation({ status: 'failed' }));
    expect(await voice().readConversation('conv_1')).toMatchObject({
      state: 'ended',
      conversation: { turns: [{}, {}] },
    });
  });

  test('returns `failed` when the conversation failed and has no valid transcript', async () => {
    server().conversations.set('conv_1', aConversation({ status: 'failed', transcript: null }));
    expect(await voice().readConversation('conv_1')).toMatchObject({ state: 'failed' });
  });

  test('returns `unknown` after a 404', async () => {
    expect(await voice().readConversation('conv_other')).toEqual({ state: 'unknown' });
  });

  test('encodes the id in the path', async () => {
    expect(await voice().readConversation('../agents/list?x=1#y')).toEqual({ state: 'unknown' });
    expect(server().calls[0]?.url).toBe('/v1/convai/conversations/..%2Fagents%2Flist%3Fx%3D1%23y');
  });

  test.each([
    ...FAULTS,
    ['an HTML response', respondWith(200, '<html>Alex</html>'), /is not a conversation/],
    [
      'an undocumented status',
      respondWith(200, JSON.stringify(aConversation({ status: 'paused' }))),
      /is not a conversation/,
    ],
    [
      'a transcript that is not a list',
      respondWith(200, JSON.stringify(aConversation({ transcript: 'Alex' }))),
      /cannot be parsed/,
    ],
    ['a response that is a list', respondWith(200, '[]'), /is not a conversation/],
  ] as const)('fails after %s, without a retry', async (_, fault, message) => {
    server().faults.push(fault);
    await expectVoiceProviderError(voice().readConversation('conv_1'), message);
    expect(server().calls).toHaveLength(1);
  });

  test('fails after the time-out', async () => {
    server().faults.push(neverRespond);
    const provider = voice({ timeouts: { conversation: 300 } });
    await expectVoiceProviderError(provider.readConversation('conv_1'), /time-out/);
  });

  test('parses 10,000 turns with unused properties', async () => {
    const transcript = Array.from({ length: 10_000 }, (_, at) => ({
      role: at % 2 ? 'user' : 'agent',
      message: 'Word '.repeat(20),
      time_in_call_secs: at,
      tool_calls: [],
      conversation_turn_metrics: { metrics: { convai_llm_service_ttfb: { elapsed_time: 0.123456789 } } },
    }));
    server().conversations.set('conv_1', aConversation({ transcript }));
    const state = await voice().readConversation('conv_1');
    expect(state.state === 'ended' && state.conversation.turns.length).toBe(10_000);
  });

  test('fails for a conversation above 16 MB', async () => {
    server().conversations.set('conv_1', aConversation({ extra: 'x'.repeat(17_000_000) }));
    await expectVoiceProviderError(voice().readConversation('conv_1'), /is too large/);
  });
});
