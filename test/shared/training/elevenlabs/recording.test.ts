import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
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
const SOUND = { 'content-type': 'audio/mpeg' };

/** All of a recording, or what its stream failed with. */
async function heard(given = voice()): Promise<Buffer> {
  const recording = await given.fetchRecording('conv_1');
  if (recording === undefined) throw new Error('There is none.');
  return buffer(recording.content);
}

test('the sound as it comes, with its type', async () => {
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
  ['404', says(404, '{"detail":{"status":"not_found"}}')],
  ['409', says(409, '{}')],
  ['425', says(425, '')],
  ['a 200 without a byte', says(200, '', { ...SOUND, 'content-length': '0' })],
])('%s: there is none yet', async (_, fault) => {
  server().faults.push(fault);
  expect(await voice().fetchRecording('conv_1')).toBeUndefined();
});

test.each([
  ...FAULTS,
  ['a page', says(200, '<html>Alex</html>', { 'content-type': 'text/html' }), /answered no sound/],
  ['JSON', says(200, '{"status":"processing"}', { 'content-type': 'application/json' }), /answered no sound/],
  ['no type', says(200, 'Alex'), /answered no sound/],
  ['too much announced', says(200, '', { ...SOUND, 'content-length': '314572801' }), /more than 300 MB/],
] as const)('%s: a failure, and nothing to store', async (_, fault, sentence) => {
  server().faults.push(fault);
  await expectVoiceFailure(voice().fetchRecording('conv_1'), sentence);
  expect(server().calls).toHaveLength(1);
});

test('slow to begin: a failure', async () => {
  server().faults.push(isSilent);
  await expectVoiceFailure(voice({ timeouts: { recording: 300 } }).fetchRecording('conv_1'), /no answer in time/);
});

test('sound that stops coming fails its stream, which does not just end', async () => {
  server().faults.push((response) => void response.writeHead(200, SOUND).write('ID3'));
  await expectVoiceFailure(heard(voice({ timeouts: { recording: 300 } })), /no answer in time/);
});

test.each([
  ['with its length announced', { 'content-length': '1000' }],
  ['in chunks', {}],
])('sound that is cut off %s fails its stream', async (_, headers) => {
  server().faults.push((response) => {
    response.writeHead(200, { ...SOUND, ...headers }).write('ID3');
    setTimeout(() => response.socket?.destroy(), 20);
  });
  await expectVoiceFailure(heard(), /could not be reached/);
});

test('sound without end is cut at 300 MB, whatever was announced', async () => {
  const megabyte = Buffer.alloc(1024 * 1024);
  server().faults.push((response) => {
    const more = () => {
      while (!response.destroyed && response.write(megabyte));
    };
    response.writeHead(200, SOUND).on('drain', more);
    more();
  });
  const recording = await voice().fetchRecording('conv_1');
  let bytes = 0;
  const reading = (async () => {
    for await (const chunk of recording?.content ?? []) bytes += (chunk as Buffer).length;
  })();
  await expectVoiceFailure(reading, /300 MB/);
  expect(bytes).toBeLessThanOrEqual(300 * 1024 * 1024);
});

test('a slow reader is no fault of the provider’s', async () => {
  const bytes = Buffer.alloc(2_000_000, 7);
  server().recordings.set('conv_1', bytes);
  // More than a busy machine takes from one byte to the next.
  const recording = await voice({ timeouts: { recording: 1_000 } }).fetchRecording('conv_1');
  await sleep(1_500);
  expect(recording && (await buffer(recording.content)).length).toBe(bytes.length);
});

test('who stops reading ends the request', async () => {
  const closed = new Promise<void>((resolve) => {
    server().faults.push((response) => {
      response.on('close', resolve);
      response.writeHead(200, SOUND).write('ID3');
    });
  });
  const recording = await voice().fetchRecording('conv_1');
  recording?.content.destroy();
  await closed;
});
