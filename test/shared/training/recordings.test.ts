import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readlink, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type RecordingPorts, storeRecording } from '../../../shared/training/recordings.ts';
import { RecordingTooLargeError, VoiceProviderError } from '../../../shared/training/voice-provider-errors.ts';

const MB = 1024 * 1024;
const PATIENCE_MS = 60_000;

/** The provider with this recording, and a bucket that keeps what it is sent. */
function setUp(recording: () => { content: Readable; contentType: string } | undefined) {
  const stored = new Map<string, { content: Buffer; bytes: number; contentType: string }>();
  const call = { orgId: randomUUID(), callId: randomUUID(), conversationId: 'conv_1' };
  const ports: RecordingPorts = {
    voice: { fetchRecording: async () => recording() },
    recordings: {
      put: async (key, { content, bytes, contentType }) => {
        stored.set(key, { content: Buffer.concat(await content.toArray()), bytes, contentType });
      },
    },
  };
  const keep = (timeMs = PATIENCE_MS, changed: Partial<RecordingPorts> = {}) =>
    storeRecording({ ...ports, ...changed }, call, timeMs);
  return { stored, call, keep };
}

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'recordings-')));
  vi.stubEnv('TMPDIR', folder);
  return () => rm(folder, { recursive: true });
});

/** Files that are held in the temporary folder, under a name or without one. */
async function leftovers(): Promise<string[]> {
  const open = await readdir('/proc/self/fd').catch(() => []);
  const targets = await Promise.all(open.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return [...(await readdir(folder)), ...targets.filter((target) => target.startsWith(folder))];
}

describe('a recording', () => {
  test.each([
    ['audio/mpeg', 'mp3', 'audio/mpeg'],
    ['Audio/MPEG; charset=binary', 'mp3', 'audio/mpeg'],
    ['audio/x-wav', 'wav', 'audio/wav'],
    ['audio/ogg;codecs=opus', 'ogg', 'audio/ogg'],
    ['application/octet-stream', 'bin', 'application/octet-stream'],
    ['text/html', 'bin', 'application/octet-stream'],
    ['constructor', 'bin', 'application/octet-stream'],
    ['', 'bin', 'application/octet-stream'],
  ])('of type %j is kept as .%s', async (contentType, extension, storedType) => {
    const sound = randomBytes(3 * MB);
    const { keep, stored, call } = setUp(() => ({ content: Readable.from(sound, { objectMode: false }), contentType }));
    const key = `recordings/${call.orgId}/${call.callId}.${extension}`;
    expect(await keep()).toBe(key);
    expect([...stored.keys()]).toEqual([key]);
    expect(stored.get(key)).toMatchObject({ bytes: sound.length, contentType: storedType });
    expect(stored.get(key)?.content.equals(sound)).toBe(true);
    expect(await leftovers()).toEqual([]);
  });

  test('is one object, however often it is fetched, also by two at once', async () => {
    const { keep, stored } = setUp(() => ({ content: Readable.from([randomBytes(10)]), contentType: 'audio/mpeg' }));
    expect((await Promise.all([keep(), keep(), keep()])).every((key) => key !== undefined)).toBe(true);
    expect(stored.size).toBe(1);
  });

  test('that is not there, or empty, is none', async () => {
    const absent = setUp(() => undefined);
    expect(await absent.keep()).toBeUndefined();
    const empty = setUp(() => ({ content: Readable.from([]), contentType: 'audio/mpeg' }));
    expect(await empty.keep()).toBeUndefined();
    expect([...absent.stored, ...empty.stored]).toEqual([]);
  });
});

/** A stream that tells whether it was left open. */
const endless = (chunk: Buffer) =>
  new Readable({
    read() {
      this.push(chunk);
    },
  });

describe('nothing is kept, nothing left behind and nobody waits', () => {
  test('when the provider fails', async () => {
    const { keep, stored } = setUp(() => {
      throw new VoiceProviderError('down');
    });
    await expect(keep()).rejects.toThrow(VoiceProviderError);
    expect([stored.size, await leftovers()]).toEqual([0, []]);
  });

  test('when it breaks off', async () => {
    async function* broken() {
      yield randomBytes(MB);
      throw new VoiceProviderError('connection lost');
    }
    const { keep, stored } = setUp(() => ({ content: Readable.from(broken()), contentType: 'audio/mpeg' }));
    await expect(keep()).rejects.toThrow('connection lost');
    expect([stored.size, await leftovers()]).toEqual([0, []]);
  });

  test('when it has more than 300 MB', async () => {
    const content = endless(Buffer.alloc(8 * MB));
    const { keep, stored } = setUp(() => ({ content, contentType: 'audio/mpeg' }));
    await expect(keep()).rejects.toThrow(RecordingTooLargeError);
    expect([content.destroyed, stored.size, await leftovers()]).toEqual([true, 0, []]);
  });

  test('when it stands still', async () => {
    const content = new Readable({ read: () => undefined });
    const { keep, stored } = setUp(() => ({ content, contentType: 'audio/mpeg' }));
    await expect(keep(50)).rejects.toThrow();
    expect([content.destroyed, stored.size, await leftovers()]).toEqual([true, 0, []]);
  });

  test('when the bucket refuses it, in the middle', async () => {
    const { keep, stored } = setUp(() => ({
      content: Readable.from([randomBytes(5 * MB)]),
      contentType: 'audio/mpeg',
    }));
    const put: RecordingPorts['recordings']['put'] = async (_key, { content }) => {
      content.once('data', () => undefined);
      throw new Error('SlowDown');
    };
    await expect(keep(PATIENCE_MS, { recordings: { put } })).rejects.toThrow('SlowDown');
    expect([stored.size, await leftovers()]).toEqual([0, []]);
  });

  test('when the bucket does not answer', async () => {
    const { keep } = setUp(() => ({ content: Readable.from([randomBytes(10)]), contentType: 'audio/mpeg' }));
    const put: RecordingPorts['recordings']['put'] = (_key, _sound, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    await expect(keep(50, { recordings: { put } })).rejects.toThrow('aborted');
    expect(await leftovers()).toEqual([]);
  });
});
