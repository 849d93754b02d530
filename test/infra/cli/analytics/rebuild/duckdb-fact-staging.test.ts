import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createDuckDbFactStaging } from '../../../../../infra/cli/analytics/rebuild/duckdb-fact-staging.ts';
import { createDuckDbFactWriter } from '../../../../../shared/analytics/facts/duckdb/duckdb-fact-writer.ts';
import { factObjectKey } from '../../../../../shared/analytics/facts/fact-files.ts';
import { aFact } from '../../../../support/analytics/analytics.ts';
import { createMemoryFactObjects } from '../../../../support/analytics/memory-fact-objects.ts';
import { FUNNEL } from '../../../../support/analytics/memory-stores.ts';

const root = mkdtempSync(join(tmpdir(), 'staging-'));
afterAll(() => rmSync(root, { recursive: true }));

const objects = createMemoryFactObjects();
const writer = createDuckDbFactWriter(objects, { folder: join(root, 'drafts') });
const parent = mkdtempSync(join(root, 'staged-'));
const withStaging = createDuckDbFactStaging(objects, parent, { threads: 1, memoryMb: 64 });

/** Returns a key. The keys of consecutive numbers are spread over the whole range of keys, as hashes are. */
const keyOf = (number: number) => BigInt.asIntN(64, BigInt(number) * 0x9e37_79b9_7f4a_7c15n);
const wide = (sessionKey: bigint) =>
  aFact({ sessionKey, utmTerm: `${sessionKey}-${'t'.repeat(500)}`, utmContent: `${sessionKey}-${'c'.repeat(500)}` });

test('the staging returns more facts than fit into memory, ordered by session key, and leaves no temporary files', async () => {
  const [LOTS, LOT] = [20, 4_000];
  const keys = Array.from({ length: LOTS * LOT }, (_, number) => keyOf(number));
  const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];
  const twice = keys.slice(0, 1_000);
  const all: { key: bigint; sides: string[] }[] = [];
  await withStaging(async (staging) => {
    for (let at = 0; at < keys.length; at += LOT) await staging.add('raw', keys.slice(at, at + LOT).map(wide));
    await staging.addFile('replaced', await writer.write(FUNNEL, [least, most, ...twice].map(wide), 0));
    for await (const session of staging.sessions()) {
      const [key = 0n] = session.map(({ fact }) => fact.sessionKey);
      // `expect` is too slow for tens of thousands of values.
      if (session.some(({ fact }) => fact.sessionKey !== key || fact.utmTerm !== wide(key).utmTerm))
        throw new Error(`The session ${key} has facts of another session.`);
      all.push({ key, sides: session.map(({ side }) => side).sort() });
    }
  });
  const sorted = [least, most, ...keys].sort((a, b) => (a < b ? -1 : 1));
  expect(all.map(({ key }) => key)).toEqual(sorted);
  expect(all.filter(({ sides }) => sides.length === 2).map(({ key }) => key)).toEqual(
    twice.toSorted((a, b) => (a < b ? -1 : 1)),
  );
  expect(all.filter(({ sides }) => sides.includes('replaced'))).toHaveLength(twice.length + 2);
  expect(readdirSync(parent)).toEqual([]);
});

test('the staging returns each session once, even if the session keys are close together', async () => {
  const keys = Array.from({ length: 32_000 }, (_, number) => BigInt(number) * 2n ** 44n);
  const found: bigint[] = [];
  await withStaging(async (staging) => {
    for (let at = 0; at < keys.length; at += 4_000)
      await staging.add(
        'raw',
        keys.slice(at, at + 4_000).map((sessionKey) => aFact({ sessionKey })),
      );
    for await (const session of staging.sessions()) found.push(...session.map(({ fact }) => fact.sessionKey));
  });
  expect(found).toEqual(keys);
});

test('the staging throws if a fact file is damaged, and leaves no temporary files', async () => {
  const file = await writer.write(FUNNEL, [aFact()], 0);
  objects.stored.set(factObjectKey(file), new Uint8Array(file.bytes));
  await expect(withStaging((staging) => staging.addFile('kept', file))).rejects.toThrow('is damaged');
  expect(readdirSync(parent)).toEqual([]);
});
