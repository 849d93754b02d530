import { expect, test } from 'vitest';
import type { Fact } from '../../../../shared/analytics/facts/fact.ts';
import type { FactFile } from '../../../../shared/analytics/facts/fact-files.ts';
import { createDirtySessionCache } from '../../../../shared/analytics/queries/dirty-sessions.ts';
import { addFresh, aFact } from '../../../support/analytics/analytics.ts';
import { changingFunnel, FUNNEL } from '../../../support/analytics/changing-funnel.ts';

test('the dirty session cache keeps the most recently read funnels, up to its limit', async () => {
  const { factReader: files, fresh, manifests } = changingFunnel();
  const memory = createDirtySessionCache(files, 6_000);
  const read = async (funnelId: string, facts: Fact[]) => {
    await addFresh(fresh, funnelId, facts);
    return memory.mergeAndListChanged(funnelId, {
      fresh: await fresh.read(funnelId),
      manifest: await manifests.read(funnelId),
    });
  };
  const some = (count: number) => Array.from({ length: count }, (_, at) => aFact({ sessionKey: BigInt(at) }));
  const known = () => ['a', 'b', 'c'].filter((funnelId) => memory.generation(funnelId) !== undefined);
  await read('a', some(3));
  await read('b', some(3));
  await read('a', []);
  expect(known()).toEqual(['a', 'b']);
  await read('c', some(5));
  expect(known()).toEqual(['a', 'c']);
  expect((await read('b', some(100))).changedSessions).toHaveLength(100);
  expect(known()).toEqual([]);
});

test('level 1 files are read in groups of at most 50,000 facts, and a larger file is read alone', async () => {
  const { ports, list, factReader: files } = changingFunnel();
  for (let at = 0n; at < 4n; at++) await list('1', aFact({ sessionKey: at }));
  const portions: number[] = [];
  const manifest = await ports.manifests.read(FUNNEL);
  const large = manifest.files.map((file, at) => ({ ...file, factCount: [30_000, 20_000, 1, 60_000][at] ?? 0 }));
  const read = (some: readonly FactFile[]) => {
    portions.push(some.length);
    return files.read(some);
  };
  const { changedSessions } = await createDirtySessionCache({ ...files, read }).mergeAndListChanged(FUNNEL, {
    fresh: [],
    manifest: { ...manifest, files: large },
  });
  expect(changedSessions).toHaveLength(4);
  expect(portions).toEqual([2, 1, 1]);
});
