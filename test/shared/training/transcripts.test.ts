import { randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TranscriptTurn } from '../../../shared/training/call.ts';
import type { TranscriptStore } from '../../../shared/training/ports.ts';
import {
  copyTranscriptToBucket,
  encodeTranscript,
  INLINE_BYTES_MAX,
  RESPONSE_BYTES_MAX,
  readTranscript,
  storeTranscriptIfLarge,
} from '../../../shared/training/transcripts.ts';

const CALL_ID = randomUUID();

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
  const store = async (turns: readonly TranscriptTurn[]) =>
    storeTranscriptIfLarge(objects, ids, await encodeTranscript(turns, log));
  const move = (encoded: Awaited<ReturnType<typeof store>>) => copyTranscriptToBucket(objects, ids, encoded, log);
  return { stored, counted, errors, objects, ids, store, move };
}

const aTurn = (overrides: Partial<TranscriptTurn> = {}): TranscriptTurn => ({
  role: 'user',
  message: 'Hello',
  timeInCallSecs: 1,
  ...overrides,
});

/** Turns whose JSON has exactly this number of bytes. */
function turnsOf(bytes: number): TranscriptTurn[] {
  const empty = Buffer.byteLength(JSON.stringify([aTurn({ message: '' })]));
  return [aTurn({ message: 'x'.repeat(bytes - empty) })];
}

/** A turn with a message of random characters, which hardly compresses. */
const incompressible = (bytes: number): TranscriptTurn =>
  aTurn({ message: randomBytes(Math.ceil(bytes * 0.75)).toString('base64') });

/** Bytes of the transcript in a function's response. */
const responseBytes = (all: readonly TranscriptTurn[]): number =>
  Buffer.byteLength(JSON.stringify({ body: JSON.stringify(all) })) - Buffer.byteLength(JSON.stringify({ body: '' }));

const turns = fc.array(
  fc.record({
    role: fc.constantFrom<TranscriptTurn['role']>('user', 'agent'),
    // Any UTF-16 code units, including lone surrogates and control characters.
    message: fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
    timeInCallSecs: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
  }),
);

describe('a transcript', () => {
  test('is read unchanged from the item and from the bucket', () =>
    fc.assert(
      fc.asyncProperty(turns, fc.constantFrom('json', 'compressed', 'key'), async (start, place) => {
        const { objects, store, move, stored } = setUp();
        const long = {
          json: [],
          compressed: [aTurn({ message: 'x'.repeat(210_000) })],
          key: [incompressible(300_000)],
        };
        const all = [...start, ...long[place]];
        const transcript = await store(all);
        expect(Object.keys(transcript)).toEqual([place]);
        expect(stored.size).toBe(place === 'key' ? 1 : 0);
        expect(await readTranscript(objects, transcript, CALL_ID)).toEqual(all);
        const key = await move(transcript);
        expect(key === undefined).toBe(place !== 'compressed');
        expect(await readTranscript(objects, key === undefined ? transcript : { key }, CALL_ID)).toEqual(all);
      }),
    ));

  test('is stored in the item as JSON up to 153,600 bytes, and compressed above that size', async () => {
    const { store, stored } = setUp();
    const transcript = await store(turnsOf(INLINE_BYTES_MAX));
    expect('json' in transcript && Buffer.byteLength(transcript.json)).toBe(153_600);
    expect(await store(turnsOf(INLINE_BYTES_MAX + 1))).toHaveProperty('compressed');
    expect(stored.size).toBe(0);
  });

  test('is stored in the item up to 153,600 compressed bytes, and in the bucket above that size', async () => {
    const { objects, stored, ids } = setUp();
    const compressed = randomBytes(INLINE_BYTES_MAX);
    expect(await storeTranscriptIfLarge(objects, ids, { compressed })).toEqual({ compressed });
    expect(stored.size).toBe(0);
    const large = await storeTranscriptIfLarge(objects, ids, { compressed: randomBytes(INLINE_BYTES_MAX + 1) });
    expect(large).toEqual({ key: [...stored.keys()][0] });
    expect([...stored.keys()][0]).toMatch(
      new RegExp(`^transcripts/${ids.orgId}/${ids.callId}/[0-9a-f]{64}\\.json\\.gz$`),
    );
  });

  test('is measured in bytes, not characters', async () => {
    const { store } = setUp();
    expect(await store([aTurn({ message: 'ü'.repeat(INLINE_BYTES_MAX / 2) })])).toHaveProperty('compressed');
  });

  test('becomes one object when it is stored or moved twice', async () => {
    const { store, move, stored } = setUp();
    const long = [incompressible(300_000)];
    expect(await store(long)).toEqual(await store(long));
    const compressed = await store(turnsOf(300_000));
    expect(await move(compressed)).toBe(await move(compressed));
    expect(stored.size).toBe(2);
  });

  test('stays in the item if the bucket cannot store it, and the failure is logged and counted', async () => {
    const { store, ids, counted, errors } = setUp();
    const compressed = await store(turnsOf(300_000));
    const down = { put: () => Promise.reject(new Error('S3 is down.')) };
    const log = {
      recordMetric: (metric: string) => void counted.push(metric),
      error: (_: string, cause: unknown) => void errors.push(cause),
    };
    expect(await copyTranscriptToBucket(down, ids, compressed, log)).toBeUndefined();
    expect([counted, errors]).toEqual([['TranscriptsNotMoved'], [new Error('S3 is down.')]]);
  });

  test.each([
    ['plain text', 'ä'.repeat(50)],
    ['quotes', '"'.repeat(60)],
    ['backslashes', '\\'.repeat(60)],
    ['line breaks and control characters', '\n\t\u0001'.repeat(20)],
  ])(
    'of %s is cut after a whole turn if it would have more than 4,000,000 bytes in a response, and is counted',
    async (_, text) => {
      const { store, objects, counted } = setUp();
      const all = Array.from({ length: 40_000 }, (_, at) => aTurn({ message: `${at} ${text}`, timeInCallSecs: at }));
      const read = await readTranscript(objects, await store(all), CALL_ID);
      expect(counted).toEqual(['TranscriptsCut']);
      expect(read).toEqual(all.slice(0, read.length));
      expect(responseBytes(read)).toBeLessThanOrEqual(4_000_000);
      expect(responseBytes(all.slice(0, read.length + 1))).toBeGreaterThan(4_000_000);
    },
  );

  test('of random text is not cut if it has exactly 4,000,000 bytes, and is cut if it has one byte more', async () => {
    const { store, objects, counted } = setUp();
    const noise = randomBytes(RESPONSE_BYTES_MAX)
      .toString('latin1')
      .replace(/[^\x20-\x7e]|["\\]/g, '~');
    const exactly = (bytes: number) => [
      aTurn({ message: noise.slice(0, bytes - responseBytes([aTurn({ message: '' })])) }),
    ];
    const exact = exactly(RESPONSE_BYTES_MAX);
    expect(responseBytes(exact)).toBe(4_000_000);
    expect(await readTranscript(objects, await store(exact), CALL_ID)).toEqual(exact);
    expect(counted).toEqual([]);
    await store(exactly(RESPONSE_BYTES_MAX + 1));
    expect(counted).toEqual(['TranscriptsCut']);
  });
});

describe('reading a transcript', () => {
  const expectRejected = async (compressed: Uint8Array | undefined) => {
    const objects = { get: async () => compressed };
    await expect(readTranscript(objects, { key: 'transcripts/a/b/c.json.gz' }, CALL_ID)).rejects.toThrow();
  };

  test('fails when the transcript is missing, truncated, not compressed, or not a list of turns', async () => {
    const whole = gzipSync(JSON.stringify([aTurn()]));
    await expectRejected(undefined);
    await expectRejected(whole.subarray(0, whole.length - 5));
    await expectRejected(Buffer.from(JSON.stringify([aTurn()])));
    await expectRejected(gzipSync('{"role":"user"}'));
    await expectRejected(gzipSync(JSON.stringify([{ ...aTurn(), role: 'judge' }])));
    await expectRejected(gzipSync(JSON.stringify([{ ...aTurn(), timeInCallSecs: null }])));
    await expect(readTranscript({ get: async () => undefined }, { json: '[{}]' }, CALL_ID)).rejects.toThrow();
    await expect(readTranscript({ get: async () => undefined }, { json: '{' }, CALL_ID)).rejects.toThrow(
      `The transcript of the call ${CALL_ID} is not valid JSON.`,
    );
  });

  test('fails without decompressing more than the maximum size', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, ' '), { level: 9 });
    const before = process.memoryUsage().rss;
    await expectRejected(bomb);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  test('of any bytes fails, or returns what JSON.parse returns', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), fc.boolean(), async (bytes, compressed) => {
        const get = async () => (compressed ? gzipSync(bytes) : bytes);
        const read = await readTranscript({ get }, { key: 'key' }, CALL_ID).catch((error: unknown) => error);
        if (!(read instanceof Error)) expect(read).toEqual(JSON.parse(Buffer.from(bytes).toString()));
      }),
    ));
});
