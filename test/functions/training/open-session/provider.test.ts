import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createElevenLabsVoiceProvider } from '../../../../shared/training/elevenlabs/voice-provider.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { setUpSessions } from '../../../support/training/sessions.ts';

useDynamo();

type Answering = (answer: ServerResponse) => void;

const session: Answering = (answer) =>
  answer.end('{"signed_url":"wss://voice.example/?signature=s","conversation_id":"conv_real"}');

/** An organization with the deployed adapter, which calls a server with these responses. */
async function setUpProvider() {
  const provider: { answers: Answering } = { answers: session };
  const server = createServer((_, answer) => provider.answers(answer));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(stop);
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const voice = createElevenLabsVoiceProvider({
    baseUrl: () => baseUrl,
    apiKey: async () => 'key',
    timeouts: { session: 1_500 },
  });
  return { provider, stop, ...(await setUpSessions({ ports: { voice } })) };
}

test.each<[string, Answering]>([
  ['answers 500', (answer) => answer.writeHead(500).end('{"detail":"secret reason"}')],
  ['refuses our key', (answer) => answer.writeHead(401).end('{"detail":"secret reason"}')],
  ['knows no such agent', (answer) => answer.writeHead(404).end('{"detail":"secret reason"}')],
  ['never answers', () => undefined],
  ['begins an answer and does not end it', (answer) => answer.write('{"signed_url":')],
  ['hangs up', (answer) => answer.destroy()],
  ['answers what is no JSON', (answer) => answer.end('<html>secret reason</html>')],
  ['answers another JSON', (answer) => answer.end('{"signed_url":7}')],
  ['leaves the conversation out', (answer) => answer.end('{"signed_url":"wss://voice.example/"}')],
  ['sends us elsewhere', (answer) => answer.writeHead(302, { location: 'https://voice.example' }).end()],
])('503: a provider that %s: leaves nothing, and a retry succeeds', async (_, answers) => {
  const { provider, open, stored, taken } = await setUpProvider();
  provider.answers = answers;
  const refused = await open();
  expect(refused).toMatchObject({
    status: 503,
    headers: { 'retry-after': '5' },
    body: { error: { code: 'service_unavailable' } },
  });
  expect(refused.text).not.toContain('secret');
  expect(await stored()).toEqual({ calls: [], lookUps: [] });
  expect(await taken()).toBe(0);
  provider.answers = session;
  expect(await open()).toMatchObject({ status: 201, body: { token: 'wss://voice.example/?signature=s' } });
});

test('503: a provider that cannot be reached', async () => {
  const { stop, open, stored, taken } = await setUpProvider();
  stop();
  expect((await open()).status).toBe(503);
  expect(await stored()).toEqual({ calls: [], lookUps: [] });
  expect(await taken()).toBe(0);
});
