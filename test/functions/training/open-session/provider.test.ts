import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createElevenLabsVoiceProvider } from '../../../../shared/training/elevenlabs/voice-provider.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { setUpSessions } from '../../../support/training/sessions.ts';

useDynamo();

type Respond = (response: ServerResponse) => void;

const session: Respond = (response) =>
  response.end('{"signed_url":"wss://voice.example/?signature=s","conversation_id":"conv_real"}');

/** Sets up an organization with the adapter for ElevenLabs. `provider` controls how its server responds. */
async function setUpProvider() {
  const provider: { respond: Respond } = { respond: session };
  const server = createServer((_, response) => provider.respond(response));
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

test.each<[string, Respond]>([
  ['responds with 500', (response) => response.writeHead(500).end('{"detail":"secret reason"}')],
  ['rejects the API key', (response) => response.writeHead(401).end('{"detail":"secret reason"}')],
  ['does not know the agent', (response) => response.writeHead(404).end('{"detail":"secret reason"}')],
  ['never responds', () => undefined],
  ['sends an incomplete response', (response) => response.write('{"signed_url":')],
  ['closes the connection', (response) => response.destroy()],
  ['responds with invalid JSON', (response) => response.end('<html>secret reason</html>')],
  ['responds with an unexpected JSON object', (response) => response.end('{"signed_url":7}')],
  ['omits the conversation id', (response) => response.end('{"signed_url":"wss://voice.example/"}')],
  ['redirects', (response) => response.writeHead(302, { location: 'https://voice.example' }).end()],
])('503: if the provider %s, stores no call and counts no session; a later retry succeeds', async (_, respond) => {
  const { provider, open, stored, countedSessions } = await setUpProvider();
  provider.respond = respond;
  const response = await open();
  expect(response).toMatchObject({
    status: 503,
    headers: { 'retry-after': '5' },
    body: { error: { code: 'service_unavailable' } },
  });
  expect(response.text).not.toContain('secret');
  expect(await stored()).toEqual({ calls: [], lookups: [] });
  expect(await countedSessions()).toBe(0);
  provider.respond = session;
  expect(await open()).toMatchObject({ status: 201, body: { token: 'wss://voice.example/?signature=s' } });
});

test('503: if the provider cannot be reached, stores no call and counts no session', async () => {
  const { stop, open, stored, countedSessions } = await setUpProvider();
  stop();
  expect((await open()).status).toBe(503);
  expect(await stored()).toEqual({ calls: [], lookups: [] });
  expect(await countedSessions()).toBe(0);
});
