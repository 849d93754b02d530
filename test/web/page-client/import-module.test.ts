import { afterEach, expect, test, vi } from 'vitest';
import { importModule } from '../../../web/page-client/import-module.ts';

afterEach(() => vi.unstubAllGlobals());

test('the delay between the attempts of an import doubles up to a minute', async () => {
  const delays: number[] = [];
  vi.stubGlobal('setTimeout', (run: () => void, ms: number) => {
    delays.push(ms);
    run();
  });
  await expect(importModule('./missing.mjs', 9)).rejects.toThrow('missing.mjs?8');
  expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
});
