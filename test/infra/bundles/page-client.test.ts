import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { scriptSizeTable, scriptSizeViolations } from '../../../infra/bundles/bundle-sizes.ts';
import { bundlePageClient } from '../../../infra/bundles/page-client.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

mkdirSync(join(ROOT, 'dist'), { recursive: true });
const folder = mkdtempSync(join(ROOT, 'dist', 'test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (name: string, file: string) => readFileSync(join(folder, name, file));

test('the page client has the same bytes in each build, imports nothing, and is within its budget', async () => {
  const sizes = await bundlePageClient(join(folder, 'one'));
  await bundlePageClient(join(folder, 'two'));
  for (const file of ['funnel.js', 'funnel.mjs', 'funnel.d.mts', 'consent.mjs', 'consent.d.mts']) {
    expect(read('one', file)).toEqual(read('two', file));
    expect(`${read('one', file)}`).not.toContain(ROOT);
  }
  for (const [file, name] of [
    ['funnel.mjs', 'createFunnel'],
    ['consent.mjs', 'adoptConsent'],
  ] as const) {
    expect(`${read('one', file)}`).not.toMatch(/\bimport\b|\beval\b|new Function/);
    expect(`${read('one', file)}`).toMatch(new RegExp(`export\\{\\w+ as ${name}\\}`));
  }
  expect(scriptSizeViolations(sizes)).toEqual([]);
  expect(sizes[0]?.gzipBytes).toBe(gzipSync(read('one', 'funnel.js'), { level: 9 }).length);
});

test('the budget check accepts a script within its budget, and names a larger one with its bytes', () => {
  const script = (gzipBytes: number) => [{ id: 'web/client/funnel.js', gzipBytes, gzipBytesMax: 4_000 }];
  expect(scriptSizeViolations(script(4_000))).toEqual([]);
  const [violation] = scriptSizeViolations(script(4_001));
  expect(violation).toBe('web/client/funnel.js has 4001 bytes with gzip, more than its budget of 4000 bytes.');
  expect(scriptSizeTable(script(3_210))).toBe('web/client/funnel.js  3.2 KB of 4.0 (gzip)');
});
