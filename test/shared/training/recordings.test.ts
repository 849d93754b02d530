import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type RecordingPorts, storeRecording } from '../../../shared/training/recordings.ts';
import { RecordingTooLargeError, VoiceProviderError } from '../../../shared/training/voice-provider-errors.ts';

const MB = 1024 * 1024;
const TIMEOUT_MS = 60_000;

/** A provider with this recording, and a bucket in memory. */
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
  const store = (timeoutMs = TIMEOUT_MS, replaced: Partial<RecordingPorts> = {}) =>
    storeRecording({ ...ports, ...replaced }, call, timeoutMs);
  return { stored, call, store };
}

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'recordings-')));
  vi.stubEnv('TMPDIR', folder);
  return () => rm(folder, { recursive: true });
});

/**
 * Files in the temporary folder and, on Linux, open files without a name. Synchronous, so that no file is closed
 * meanwhile.
 */
function leftovers(): string[] {
  const open = existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd') : [];
  const targets = open.map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return [...readdirSync(folder), ...targets.filter((target) => target.startsWith(folder))];
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
  ])('of type %j is stored as .%s', async (contentType, extension, storedType) => {
    const audio = randomBytes(3 * MB);
    const { store, stored, call } = setUp(() => ({
      content: Readable.from(audio, { objectMode: false }),
      contentType,
    }));
    const key = `recordings/${call.orgId}/${call.callId}.${extension}`;
    expect(await store()).toBe(key);
    expect([...stored.keys()]).toEqual([key]);
    expect(stored.get(key)).toMatchObject({ bytes: audio.length, contentType: storedType });
    expect(stored.get(key)?.content.equals(audio)).toBe(true);
    expect(leftovers()).toEqual([]);
  });

  test('that is stored several times concurrently becomes one object', async () => {
    const { store, stored } = setUp(() => ({ content: Readable.from([randomBytes(10)]), contentType: 'audio/mpeg' }));
    expect((await Promise.all([store(), store(), store()])).every((key) => key !== undefined)).toBe(true);
    expect(stored.size).toBe(1);
  });

  test('that does not exist or is empty is not stored', async () => {
    const absent = setUp(() => undefined);
    expect(await absent.store()).toBeUndefined();
    const empty = setUp(() => ({ content: Readable.from([]), contentType: 'audio/mpeg' }));
    expect(await empty.store()).toBeUndefined();
    expect([...absent.stored, ...empty.stored]).toEqual([]);
  });
});

const endless = (chunk: Buffer) =>
  new Readable({
    read() {
      this.push(chunk);
    },
  });

describe('a recording that cannot be copied leaves no temporary file', () => {
  test('and is not stored when the provider fails', async () => {
    const { store, stored } = setUp(() => {
      throw new VoiceProviderError('down');
    });
    await expect(store()).rejects.toThrow(VoiceProviderError);
    expect([stored.size, leftovers()]).toEqual([0, []]);
  });

  test('and is not stored when the stream of the provider fails', async () => {
    async function* broken() {
      yield randomBytes(MB);
      throw new VoiceProviderError('connection lost');
    }
    const { store, stored } = setUp(() => ({ content: Readable.from(broken()), contentType: 'audio/mpeg' }));
    await expect(store()).rejects.toThrow('connection lost');
    expect([stored.size, leftovers()]).toEqual([0, []]);
  });

  test('and is not stored if it has more than 300 MB; the stream of the provider is closed', async () => {
    const content = endless(Buffer.alloc(8 * MB));
    const { store, stored } = setUp(() => ({ content, contentType: 'audio/mpeg' }));
    await expect(store()).rejects.toThrow(RecordingTooLargeError);
    expect([content.destroyed, stored.size, leftovers()]).toEqual([true, 0, []]);
  });

  test('and is not stored if the provider sends nothing until the time limit; the stream of the provider is closed', async () => {
    const content = new Readable({ read: () => undefined });
    const { store, stored } = setUp(() => ({ content, contentType: 'audio/mpeg' }));
    await expect(store(50)).rejects.toThrow();
    expect([content.destroyed, stored.size, leftovers()]).toEqual([true, 0, []]);
  });

  test('and is not stored when the bucket fails during the upload', async () => {
    const { store, stored } = setUp(() => ({
      content: Readable.from([randomBytes(5 * MB)]),
      contentType: 'audio/mpeg',
    }));
    const put: RecordingPorts['recordings']['put'] = async (_key, { content }) => {
      content.once('data', () => undefined);
      throw new Error('SlowDown');
    };
    await expect(store(TIMEOUT_MS, { recordings: { put } })).rejects.toThrow('SlowDown');
    expect([stored.size, leftovers()]).toEqual([0, []]);
  });

  test('when the bucket does not respond until the time limit', async () => {
    const { store } = setUp(() => ({ content: Readable.from([randomBytes(10)]), contentType: 'audio/mpeg' }));
    const put: RecordingPorts['recordings']['put'] = (_key, _recording, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    await expect(store(50, { recordings: { put } })).rejects.toThrow('aborted');
    expect(leftovers()).toEqual([]);
  });
});
