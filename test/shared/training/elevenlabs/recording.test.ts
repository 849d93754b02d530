import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  expectVoiceProviderError,
  FAULTS,
  KEY,
  neverRespond,
  respondWith,
  useElevenLabs,
} from '../../../support/training/elevenlabs-server.ts';

const { server, voice } = useElevenLabs();
const AUDIO = { 'content-type': 'audio/mpeg' };

async function fetchAll(provider = voice()): Promise<Buffer> {
  const recording = await provider.fetchRecording('conv_1');
  if (recording === undefined) throw new Error('There is no recording.');
  return buffer(recording.content);
}

test('fetchRecording streams the recording with its media type', async () => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251));
  server().recordings.set('conv_1', bytes);
  const recording = await voice().fetchRecording('conv_1');
  expect(recording?.contentType).toBe('audio/mpeg');
  expect(recording && (await buffer(recording.content)).equals(bytes)).toBe(true);
  expect(server().calls).toMatchObject([
    { method: 'GET', url: '/v1/convai/conversations/conv_1/audio', headers: { 'xi-api-key': KEY, accept: 'audio/*' } },
  ]);
});

test.each([
  ['a 404', respondWith(404, '{"detail":{"status":"not_found"}}')],
  ['a 409', respondWith(409, '{}')],
  ['a 425', respondWith(425, '')],
  ['a 200 without a byte', respondWith(200, '', { ...AUDIO, 'content-length': '0' })],
])('fetchRecording returns undefined after %s, which means that there is no recording', async (_, fault) => {
  server().faults.push(fault);
  expect(await voice().fetchRecording('conv_1')).toBeUndefined();
});

test.each([
  ...FAULTS,
  ['an HTML response', respondWith(200, '<html>Alex</html>', { 'content-type': 'text/html' }), /is not audio/],
  [
    'a JSON response',
    respondWith(200, '{"status":"processing"}', { 'content-type': 'application/json' }),
    /is not audio/,
  ],
  ['a response without a media type', respondWith(200, 'Alex'), /is not audio/],
  [
    'a response with a content-length above 300 MB',
    respondWith(200, '', { ...AUDIO, 'content-length': '314572801' }),
    /larger than 300 MB/,
  ],
] as const)('fetchRecording fails after %s, without a retry', async (_, fault, message) => {
  server().faults.push(fault);
  await expectVoiceProviderError(voice().fetchRecording('conv_1'), message);
  expect(server().calls).toHaveLength(1);
});

test('fetchRecording fails when the first byte does not arrive in time', async () => {
  server().faults.push(neverRespond);
  await expectVoiceProviderError(voice({ timeouts: { recording: 300 } }).fetchRecording('conv_1'), /time-out/);
});

test('the stream of a recording fails when the next chunk does not arrive in time', async () => {
  server().faults.push((response) => void response.writeHead(200, AUDIO).write('ID3'));
  await expectVoiceProviderError(fetchAll(voice({ timeouts: { recording: 300 } })), /time-out/);
});

test.each([
  ['with a content-length', { 'content-length': '1000' }],
  ['without a content-length', {}],
])('the stream of a recording fails when a response %s is cut off', async (_, headers) => {
  server().faults.push((response) => {
    response.writeHead(200, { ...AUDIO, ...headers }).write('ID3');
    setTimeout(() => response.socket?.destroy(), 20);
  });
  await expectVoiceProviderError(fetchAll(), /connection to the voice provider failed/);
});

test('the stream of a recording fails when a response without a content-length has more than 300 MB', async () => {
  const megabyte = Buffer.alloc(1024 * 1024);
  server().faults.push((response) => {
    const writeMore = () => {
      while (!response.destroyed && response.write(megabyte));
    };
    response.writeHead(200, AUDIO).on('drain', writeMore);
    writeMore();
  });
  const recording = await voice().fetchRecording('conv_1');
  let bytes = 0;
  const reading = (async () => {
    for await (const chunk of recording?.content ?? []) bytes += (chunk as Buffer).length;
  })();
  await expectVoiceProviderError(reading, /300 MB/);
  expect(bytes).toBeLessThanOrEqual(300 * 1024 * 1024);
});

test('a slow reader of a recording does not cause a time-out', async () => {
  const bytes = Buffer.alloc(2_000_000, 7);
  server().recordings.set('conv_1', bytes);
  const recording = await voice({ timeouts: { recording: 1_000 } }).fetchRecording('conv_1');
  await sleep(1_500);
  expect(recording && (await buffer(recording.content)).length).toBe(bytes.length);
});

test('destroying the stream of a recording aborts the request', async () => {
  const closed = new Promise<void>((resolve) => {
    server().faults.push((response) => {
      response.on('close', resolve);
      response.writeHead(200, AUDIO).write('ID3');
    });
  });
  const recording = await voice().fetchRecording('conv_1');
  recording?.content.destroy();
  await closed;
});
