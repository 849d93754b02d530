import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { scriptSizeTable, scriptSizeViolations } from '../../../infra/bundles/bundle-sizes.ts';
import { bundlePageClient, integrityTable, readIntegrity } from '../../../infra/bundles/page-client.ts';
import { PAGE_CLIENT_FILES } from '../../../infra/bundles/page-client-files.ts';
import { readVersions } from '../../../infra/page-client/versions.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

mkdirSync(join(ROOT, 'dist'), { recursive: true });
const folder = mkdtempSync(join(ROOT, 'dist', 'test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (name: string, file: string) => readFileSync(join(folder, name, file));

test('each script has the same bytes in each build, has no static import, and is within its budget', async () => {
  const sizes = await bundlePageClient(join(folder, 'one'));
  await bundlePageClient(join(folder, 'two'));
  for (const file of PAGE_CLIENT_FILES) {
    expect(read('one', file)).toEqual(read('two', file));
    expect(`${read('one', file)}`).not.toContain(ROOT);
  }
  const modules = PAGE_CLIENT_FILES.filter((file) => file.endsWith('.mjs'));
  for (const file of modules) expect(`${read('one', file)}`).not.toMatch(/\bimport\b(?!\()|\beval\b|new Function/);
  expect(scriptSizeViolations(sizes)).toEqual([]);
  expect(sizes[0]?.gzipBytes).toBe(gzipSync(read('one', 'funnel.js'), { level: 9 }).length);
});

test.each([
  ['funnel.mjs', ['createFunnel']],
  ['consent.mjs', ['adoptConsent']],
  ['verification.mjs', ['bindCodeInput', 'createVerification']],
  ['upload.mjs', ['UploadError', 'uploadFile']],
  ['assistant.mjs', ['streamReply']],
])('%s exports what its types declare', async (file, names) => {
  await bundlePageClient(join(folder, 'one'));
  expect(Object.keys(await import(join(folder, 'one', file))).sort()).toEqual(names);
  const types = `${read('one', file.replace('.mjs', '.d.mts'))}`;
  const declared = [...types.matchAll(/^export declare (?:function|class|const) (\w+)/gm)].map(([, name]) => name);
  expect(declared.sort()).toEqual(names);
});

test('integrity.json and the table that the build prints contain the version and the hash of each file', async () => {
  await bundlePageClient(join(folder, 'three'));
  const hashes = await readIntegrity(join(folder, 'three'));
  const { current } = readVersions();
  expect(JSON.parse(`${read('three', 'integrity.json')}`)).toEqual({ version: current, files: hashes });
  for (const [file, hash] of Object.entries(hashes)) {
    expect(hash).toBe(`sha384-${createHash('sha384').update(read('three', file)).digest('base64')}`);
    expect(integrityTable(hashes)).toMatch(new RegExp(`^  ${file} +${hash.replaceAll('+', '\\+')}$`, 'm'));
  }
  expect(integrityTable(hashes)).toContain(`Page client ${current}\n`);
});

test('the budget check accepts a script within its budget, and names a larger script with its size in bytes', () => {
  const script = (gzipBytes: number) => [{ id: 'web/client/funnel.js', gzipBytes, gzipBytesMax: 4_000 }];
  expect(scriptSizeViolations(script(4_000))).toEqual([]);
  const [violation] = scriptSizeViolations(script(4_001));
  expect(violation).toBe('web/client/funnel.js has 4001 bytes with gzip, more than its budget of 4000 bytes.');
  expect(scriptSizeTable(script(3_210))).toBe('web/client/funnel.js  3.2 KB of 4.0 (gzip)');
});
