import { randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TranscriptTurn } from '../../../shared/training/call.ts';
import type { TranscriptStore } from '../../../shared/training/ports.ts';
import {
  encodeTranscript,
  INLINE_BYTES_MAX,
  moveTranscriptToBucket,
  RESPONSE_BYTES_MAX,
  readTranscript,
  storeTranscript,
} from '../../../shared/training/transcripts.ts';

function setUp() {
  const stored = new Map<string, Uint8Array>();
  const counted: string[] = [];
  const objects: TranscriptStore = {
    put: async (key, compressed) => void stored.set(key, compressed),
    get: async (key) => stored.get(key),
  };
  const ids = { orgId: randomUUID(), callId: randomUUID() };
  const errors: unknown[] = [];
  const log = {
    recordMetric: (metric: string) => void counted.push(metric),
    error: (_: string, cause: unknown) => void errors.push(cause),
  };
  const keep = async (turns: readonly TranscriptTurn[]) =>
    storeTranscript(objects, ids, await encodeTranscript(turns, log));
  const settle = (kept: Awaited<ReturnType<typeof keep>>) => moveTranscriptToBucket(objects, ids, kept, log);
  return { stored, counted, errors, objects, ids, keep, settle };
}

const aTurn = (said: Partial<TranscriptTurn> = {}): TranscriptTurn => ({
  role: 'user',
  message: 'Hello',
  timeInCallSecs: 1,
  ...said,
});

/** Turns whose JSON has exactly so many bytes. */
function turnsOf(bytes: number): TranscriptTurn[] {
  const empty = Buffer.byteLength(JSON.stringify([aTurn({ message: '' })]));
  return [aTurn({ message: 'x'.repeat(bytes - empty) })];
}

/** A turn of so many bytes that do not compress. */
const unpackable = (bytes: number): TranscriptTurn =>
  aTurn({ message: randomBytes(Math.ceil(bytes * 0.75)).toString('base64') });

/** Bytes of what a function answers, as Lambda is given it. */
const sent = (all: readonly TranscriptTurn[]): number =>
  Buffer.byteLength(JSON.stringify({ body: JSON.stringify(all) })) - Buffer.byteLength(JSON.stringify({ body: '' }));

const turns = fc.array(
  fc.record({
    role: fc.constantFrom<TranscriptTurn['role']>('user', 'agent'),
    // Surrogates without their other half, control characters and all else that a string can hold.
    message: fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
    timeInCallSecs: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
  }),
);

describe('a transcript', () => {
  test('is read as it was kept, wherever it lies', () =>
    fc.assert(
      fc.asyncProperty(turns, fc.constantFrom('json', 'compressed', 'key'), async (some, place) => {
        const { objects, keep, settle, stored } = setUp();
        const long = { json: [], compressed: [aTurn({ message: 'x'.repeat(210_000) })], key: [unpackable(300_000)] };
        const all = [...some, ...long[place]];
        const kept = await keep(all);
        expect(Object.keys(kept)).toEqual([place]);
        expect(stored.size).toBe(place === 'key' ? 1 : 0);
        expect(await readTranscript(objects, kept)).toEqual(all);
        const key = await settle(kept);
        expect(key === undefined).toBe(place !== 'compressed');
        expect(await readTranscript(objects, key === undefined ? kept : { key })).toEqual(all);
      }),
    ));

  test('of exactly 204 800 bytes is in the item as it is, and of one more compressed', async () => {
    const { keep, stored } = setUp();
    const kept = await keep(turnsOf(INLINE_BYTES_MAX));
    expect('json' in kept && Buffer.byteLength(kept.json)).toBe(204_800);
    expect(await keep(turnsOf(INLINE_BYTES_MAX + 1))).toHaveProperty('compressed');
    expect(stored.size).toBe(0);
  });

  test('compressed to exactly 204 800 bytes is in the item, and to one more in the bucket', async () => {
    const { objects, stored, ids } = setUp();
    const compressed = randomBytes(INLINE_BYTES_MAX);
    expect(await storeTranscript(objects, ids, { compressed })).toEqual({ compressed });
    expect(stored.size).toBe(0);
    const large = await storeTranscript(objects, ids, { compressed: randomBytes(INLINE_BYTES_MAX + 1) });
    expect(large).toEqual({ key: [...stored.keys()][0] });
    expect([...stored.keys()][0]).toMatch(
      new RegExp(`^transcripts/${ids.orgId}/${ids.callId}/[0-9a-f]{64}\\.json\\.gz$`),
    );
  });

  test('counts bytes, not characters', async () => {
    const { keep } = setUp();
    expect(await keep([aTurn({ message: 'ü'.repeat(INLINE_BYTES_MAX / 2) })])).toHaveProperty('compressed');
  });

  test('kept or moved again, as by two at once, is one object', async () => {
    const { keep, settle, stored } = setUp();
    const long = [unpackable(300_000)];
    expect(await keep(long)).toEqual(await keep(long));
    const compressed = await keep(turnsOf(300_000));
    expect(await settle(compressed)).toBe(await settle(compressed));
    expect(stored.size).toBe(2);
  });

  test('that can not be moved stays where it is, which is told', async () => {
    const { keep, ids, counted, errors } = setUp();
    const compressed = await keep(turnsOf(300_000));
    const down = { put: () => Promise.reject(new Error('S3 is down.')) };
    const log = {
      recordMetric: (metric: string) => void counted.push(metric),
      error: (_: string, cause: unknown) => void errors.push(cause),
    };
    expect(await moveTranscriptToBucket(down, ids, compressed, log)).toBeUndefined();
    expect([counted, errors]).toEqual([['TranscriptsNotMoved'], [new Error('S3 is down.')]]);
  });

  test.each([
    ['plain words', 'ä'.repeat(50)],
    ['quotes', '"'.repeat(60)],
    ['backslashes', '\\'.repeat(60)],
    ['line breaks and controls', '\n\t\u0001'.repeat(20)],
  ])(
    'of %s that would be sent as more than 4 000 000 bytes is cut between two turns, which is counted',
    async (_, said) => {
      const { keep, objects, counted } = setUp();
      const all = Array.from({ length: 40_000 }, (_, at) => aTurn({ message: `${at} ${said}`, timeInCallSecs: at }));
      const read = await readTranscript(objects, await keep(all));
      expect(counted).toEqual(['TranscriptsCut']);
      expect(read).toEqual(all.slice(0, read.length));
      expect(sent(read)).toBeLessThanOrEqual(4_000_000);
      expect(sent(all.slice(0, read.length + 1))).toBeGreaterThan(4_000_000);
    },
  );

  test('of exactly 4 000 000 bytes is whole, also of bytes that do not pack; of one more it is not', async () => {
    const { keep, objects, counted } = setUp();
    const noise = randomBytes(RESPONSE_BYTES_MAX)
      .toString('latin1')
      .replace(/[^\x20-\x7e]|["\\]/g, '~');
    const exactly = (bytes: number) => [aTurn({ message: noise.slice(0, bytes - sent([aTurn({ message: '' })])) })];
    const exact = exactly(RESPONSE_BYTES_MAX);
    expect(sent(exact)).toBe(4_000_000);
    expect(await readTranscript(objects, await keep(exact))).toEqual(exact);
    expect(counted).toEqual([]);
    await keep(exactly(RESPONSE_BYTES_MAX + 1));
    expect(counted).toEqual(['TranscriptsCut']);
  });
});

describe('what is no transcript of ours', () => {
  const refused = async (compressed: Uint8Array | undefined) => {
    const objects = { get: async () => compressed };
    await expect(readTranscript(objects, { key: 'transcripts/a/b/c.json.gz' })).rejects.toThrow();
  };

  test('is refused: missing, torn, not compressed, of another shape', async () => {
    const whole = gzipSync(JSON.stringify([aTurn()]));
    await refused(undefined);
    await refused(whole.subarray(0, whole.length - 5));
    await refused(Buffer.from(JSON.stringify([aTurn()])));
    await refused(gzipSync('{"role":"user"}'));
    await refused(gzipSync(JSON.stringify([{ ...aTurn(), role: 'judge' }])));
    await refused(gzipSync(JSON.stringify([{ ...aTurn(), timeInCallSecs: null }])));
    await expect(readTranscript({ get: async () => undefined }, { json: '[{}]' })).rejects.toThrow();
    await expect(readTranscript({ get: async () => undefined }, { json: 'torn' })).rejects.toThrow();
  });

  test('is not unpacked beyond what a transcript has', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, ' '), { level: 9 });
    const before = process.memoryUsage().rss;
    await refused(bomb);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  test('never crashes its reader, whatever the bytes', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), fc.boolean(), async (bytes, compressed) => {
        const get = async () => (compressed ? gzipSync(bytes) : bytes);
        const read = await readTranscript({ get }, { key: 'key' }).catch((error: unknown) => error);
        if (!(read instanceof Error)) expect(read).toEqual(JSON.parse(Buffer.from(bytes).toString()));
      }),
    ));
});
