import { expect, test } from 'vitest';
import { freePort } from '../../../support/free-port.ts';
import {
  breaks,
  expectVoiceFailure,
  failureOf,
  isSilent,
  json,
  KEY,
  says,
  useElevenLabs,
} from '../../../support/training/elevenlabs-server.ts';

const { server, voice } = useElevenLabs();

test('asks for a signed URL and the conversation’s id with the key, and with nothing of the call', async () => {
  expect(await voice().openSession('agent 1&x=y')).toEqual({
    token: 'wss://provider.example/v1/convai/conversation?agent_id=agent 1&x=y&conversation_signature=once',
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

test('below a base URL with a path it asks there', async () => {
  await failureOf(voice({ baseUrl: `${server().baseUrl}/proxy/` }).openSession('a'));
  expect(server().calls[0]?.url).toMatch(/^\/proxy\/v1\/convai\/conversation\//);
});

test.each([
  ['a broken connection', breaks],
  ['a 500', says(500, 'Alex said …')],
  ['a 503', says(503, '')],
  ['a 429', says(429, '{"detail":"too many"}')],
])('%s is asked about once more', async (_, fault) => {
  server().faults.push(fault);
  expect(await voice().openSession('a')).toMatchObject({ conversationId: 'conv_2' });
  expect(server().calls).toHaveLength(2);
});

test.each([
  ['a broken connection', breaks, /could not be reached/],
  ['a 500', says(500, 'Alex said …'), /^The voice provider answered 500\.$/],
  ['a 429', says(429, ''), /^The voice provider answered 429\.$/],
])('%s twice is a failure, and nobody asks a third time', async (_, fault, sentence) => {
  server().faults.push(fault, fault);
  await expectVoiceFailure(voice().openSession('a'), sentence);
  expect(server().calls).toHaveLength(2);
});

test.each([400, 401, 403, 404, 422])('a %d is final: it is not asked again', async (status) => {
  server().faults.push(says(status, JSON.stringify({ detail: `sk_other key, Alex` })));
  await expectVoiceFailure(voice().openSession('a'), new RegExp(`answered ${status}`));
  expect(server().calls).toHaveLength(1);
});

test('a wrong key: the sentence tells the operator what to look at', async () => {
  await expectVoiceFailure(
    voice({ key: 'sk_wrong' }).openSession('a'),
    /answered 401: its key is wrong or may not do this/,
  );
});

test('nobody there', async () => {
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  await expectVoiceFailure(voice({ baseUrl }).openSession('a'), /could not be reached \(ECONNREFUSED\)/);
});

test('a provider that does not answer is left when the time is up, and not asked again', async () => {
  server().faults.push(isSilent);
  await expectVoiceFailure(
    voice({ timeouts: { session: 1_000 } }).openSession('a'),
    /could not be reached \(no answer in time\)/,
  );
  expect(server().calls).toHaveLength(1);
});

test('an answer that begins and does not end is left too', async () => {
  server().faults.push((response) => void response.writeHead(200).write('{"signed_url":'));
  await expectVoiceFailure(voice({ timeouts: { session: 300 } }).openSession('a'), /no answer in time/);
});

test('a redirect is not followed: the key is for nobody else', async () => {
  server().faults.push(says(307, '', { location: `${server().baseUrl}/elsewhere` }));
  await expectVoiceFailure(voice().openSession('a'), /answered 307/);
  expect(server().calls).toHaveLength(1);
});

test.each([
  ['HTML', '<html>Alex</html>'],
  ['nothing', ''],
  ['half of a JSON', '{"signed_url":"wss://provider.example"'],
  ['null', 'null'],
  ['no conversation', '{"signed_url":"wss://provider.example/once"}'],
  ['an empty conversation', '{"signed_url":"wss://provider.example/once","conversation_id":""}'],
  ['a page in place of a socket', '{"signed_url":"https://provider.example/once","conversation_id":"c"}'],
  ['a script in place of a socket', '{"signed_url":"javascript:alert(1)","conversation_id":"c"}'],
  ['numbers', '{"signed_url":1,"conversation_id":2}'],
  ['an endless id', JSON.stringify({ signed_url: 'wss://p.example', conversation_id: 'c'.repeat(201) })],
])('a 200 that holds %s is a failure and no session', async (_, body) => {
  server().faults.push(says(200, body));
  await expectVoiceFailure(voice().openSession('a'), /something else than its API says/);
});

test('an answer without end is not read to its end', async () => {
  let written = 0;
  server().faults.push((response) => {
    const more = () => {
      while (!response.destroyed && response.write(' '.repeat(65_536))) written += 65_536;
    };
    response.writeHead(200).on('drain', more);
    more();
  });
  await expectVoiceFailure(voice().openSession('a'), /more than anybody reads/);
  expect(written).toBeLessThan(20_000_000);
});

test('a broken body is a failure', async () => {
  server().faults.push((response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('{');
    setImmediate(() => response.socket?.destroy());
  });
  await expectVoiceFailure(voice().openSession('a'), /could not be reached/);
});

test.each(['sk_with\nnewline', 'sk_ümlaut', 'sk_two words'])(
  'a key that no header can carry is not repeated',
  async (key) => {
    await expectVoiceFailure(voice({ key }).openSession('a'), /holds characters that no key has/);
    expect(server().calls).toEqual([]);
  },
);

test('white space around a key does not count', async () => {
  await voice({ key: ` ${KEY}\n` }).openSession('a');
  expect(server().calls[0]?.headers['xi-api-key']).toBe(KEY);
});

test.each(['http://provider.example', 'https://user:password@provider.example', 'file:///etc', 'provider', ''])(
  'no key goes to %s',
  async (baseUrl) => {
    await expectVoiceFailure(voice({ baseUrl }).openSession('a'), /must be https/);
  },
);

test('many sessions at the same time are each a conversation of their own', async () => {
  const sessions = await Promise.all(Array.from({ length: 20 }, () => voice().openSession('a')));
  expect(new Set(sessions.map(({ conversationId }) => conversationId)).size).toBe(20);
});

test('an extra member of an answer is no fault', async () => {
  server().faults.push((response) =>
    json(response, 200, { signed_url: 'wss://p.example/x', conversation_id: 'c', expires_in: 900 }),
  );
  expect(await voice().openSession('a')).toEqual({ token: 'wss://p.example/x', conversationId: 'c' });
});
