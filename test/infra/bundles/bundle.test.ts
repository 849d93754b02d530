import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { bundleFunction } from '../../../infra/bundles/bundle.ts';
import { type BundleReport, deployedFiles, filesAtStart, readReport } from '../../../infra/bundles/bundle-report.ts';
import { measureBundle, sizeTable, sizeViolations } from '../../../infra/bundles/bundle-sizes.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const HANDLER = join(ROOT, 'functions', 'training', 'create-case', 'handler.ts');

mkdirSync(join(ROOT, 'dist'), { recursive: true });
const folder = mkdtempSync(join(ROOT, 'dist', 'test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (name: string, file = 'index.mjs') => readFileSync(join(folder, name, file), 'utf8');

async function bundled(name: string, files: Record<string, string>) {
  const sources = join(folder, `${name}-sources`);
  mkdirSync(sources, { recursive: true });
  for (const [file, content] of Object.entries(files)) writeFileSync(join(sources, file), content);
  return bundleFunction(name, join(sources, 'handler.ts'), join(folder, name));
}

describe('a bundle', () => {
  test('has the same bytes if it is built into two folders, and does not contain the path of the repository', async () => {
    await Promise.all([
      bundleFunction('one', HANDLER, join(folder, 'one')),
      bundleFunction('two', HANDLER, join(folder, 'deeper', 'two')),
    ]);
    expect(read('one')).toBe(read(join('deeper', 'two')));
    expect(read('one')).not.toContain(ROOT);
  });

  test("imports only its own files and Node's built-in modules", async () => {
    await bundleFunction('whole', HANDLER, join(folder, 'whole'));
    const report = readReport(join(folder, 'whole'));
    const imports = Object.values(report).flatMap((file) => [...file.imports, ...file.dynamicImports]);
    expect(imports.length).toBeGreaterThan(0);
    expect(imports.filter((path) => !isBuiltin(path) && report[path] === undefined)).toEqual([]);
  });

  test('loads the code behind an import() on demand, from a separate file', async () => {
    const { bytes, startBytes } = await bundled('parts', {
      'handler.ts': "export const handler = async () => (await import('./seldom.ts')).words;",
      'seldom.ts': `export const words = '${'seldom '.repeat(1_000)}';`,
    });
    const files = deployedFiles(join(folder, 'parts'));
    expect(files).toEqual(['index.mjs', expect.stringMatching(/^seldom-\w+\.mjs$/)]);
    expect([read('parts').includes('seldom seldom'), startBytes < 1_000, bytes > 7_000]).toEqual([false, true, true]);
    const { handler } = await import(join(folder, 'parts', 'index.mjs'));
    expect(await handler()).toMatch(/^seldom /);
  });

  test('loads only index.mjs at its start, even if index.mjs and modules behind an import() share code', async () => {
    const part = (name: string) =>
      `import { words } from './shared.ts';\nimport { handler } from './handler.ts';
        export const text = \`${name} \${words} \${typeof handler}\`;`;
    await bundled('one-start', {
      'handler.ts': `import { words } from './shared.ts';
        export const handler = async () => [words, (await import('./a.ts')).text, (await import('./b.ts')).text];`,
      'shared.ts': "export const words = 'shared words';",
      'a.ts': part('a'),
      'b.ts': part('b'),
    });
    expect([...filesAtStart(readReport(join(folder, 'one-start')))]).toEqual(['index.mjs']);
    const { handler } = await import(join(folder, 'one-start', 'index.mjs'));
    expect(await handler()).toEqual(['shared words', 'a shared words function', 'b shared words function']);
  });

  test('omits a module if only unreachable code imports it', async () => {
    const { bytes } = await bundled('orphan', {
      'handler.ts': `const seldom = () => import('./seldom.ts');
        export const handler = async () => (false ? seldom() : 'nothing');`,
      'seldom.ts': `export const words = '${'seldom '.repeat(1_000)}';`,
    });
    expect(deployedFiles(join(folder, 'orphan'))).toEqual(['index.mjs']);
    expect(bytes).toBeLessThan(1_000);
  });

  test('keeps a file of an earlier build for a day, and removes it in the first build after that', async () => {
    const make = (words: string) =>
      bundled('again', {
        'handler.ts': "export const handler = async () => (await import('./seldom.ts')).words;",
        'seldom.ts': `export const words = '${words}';`,
      });
    await make('one');
    const [, first = ''] = deployedFiles(join(folder, 'again'));
    await make('two');
    const [, second] = deployedFiles(join(folder, 'again'));
    expect(second).not.toBe(first);
    expect(readdirSync(join(folder, 'again'))).toContain(first);
    const yesterday = Date.now() / 1_000 - 90_000;
    utimesSync(join(folder, 'again', first), yesterday, yesterday);
    await make('three');
    expect(readdirSync(join(folder, 'again'))).not.toContain(first);
  });

  test('has a report of its bytes by source file, the largest file first', async () => {
    const { bytes, inputs } = await bundled('weighed', {
      'handler.ts': `import { long } from './long.ts';
        import { short } from './short.ts';
        export const handler = () => [long(), short()];`,
      'long.ts': `export const long = () => '${'long '.repeat(1_000)}' + Math.random();`,
      'short.ts': `export const short = () => '${'short '.repeat(100)}' + Math.random();`,
    });
    const [long, short, ...small] = inputs;
    expect([long?.name, short?.name].map((name) => name?.split('/').at(-1))).toEqual(['long.ts', 'short.ts']);
    expect(long?.bytes).toBeGreaterThan(5_000);
    expect(short?.bytes).toBeGreaterThan(600);
    expect(short?.bytes).toBeLessThan(700);
    const rest = small.reduce((sum, input) => sum + input.bytes, 0);
    expect((long?.bytes ?? 0) + (short?.bytes ?? 0) + rest).toBeLessThanOrEqual(bytes);
  });

  test('has a source map in the same folder, and no comment that refers to the source map', async () => {
    await bundled('mapped', { 'handler.ts': 'export const handler = (a: number, b: number): number => a + b;' });
    expect(JSON.parse(read('mapped', 'index.mjs.map')).sources).toHaveLength(1);
    expect(read('mapped')).not.toContain('sourceMappingURL');
  });

  test('contains no require, even if a module is CommonJS', async () => {
    await bundled('old', {
      'handler.ts': "import { cores } from './old.cjs';\nexport const handler = () => cores();",
      'old.cjs': "const os = require('node:os');\nexports.cores = () => os.cpus().length;",
    });
    await bundled('new', {
      'handler.ts': "import { cpus } from 'node:os';\nexport const handler = () => cpus().length;",
    });
    const { handler } = await import(join(folder, 'old', 'index.mjs'));
    expect(handler()).toBeGreaterThan(0);
    for (const name of ['old', 'new']) expect(read(name)).not.toMatch(/require/i);
  });

  test('is not built if an import cannot be resolved, and the error names the import', async () => {
    const broken = bundled('broken', { 'handler.ts': "import './nowhere.ts';" });
    await expect(broken).rejects.toThrow("Could not resolve './nowhere.ts' in dist/");
    const lacking = bundled('lacking', { 'handler.ts': "import 'a-package-that-is-not-installed';" });
    await expect(lacking).rejects.toThrow("Could not resolve 'a-package-that-is-not-installed' in dist/");
  });
});

describe('the budget check', () => {
  /** The report of one output file. @param inputs the bytes of each input file, by path */
  const file = (inputs: Record<string, number>, imports: { at?: string[]; later?: string[] } = {}) => ({
    bytes: Object.values(inputs).reduce((sum, bytes) => sum + bytes, 0),
    imports: imports.at ?? [],
    dynamicImports: imports.later ?? [],
    inputs,
  });
  const built = (inputs: Record<string, number>): BundleReport => ({ 'index.mjs': file(inputs) });
  const faultsOf = (inputs: Record<string, number>) => sizeViolations(measureBundle('funnel/submit', built(inputs)));

  test('accepts a bundle within its budgets', () => {
    expect(faultsOf({ 'node_modules/zod/index.js': 570_000, 'shared/leads/merge.ts': 30_000 })).toEqual([]);
  });

  test('rejects a bundle over 600 KB, and names its size and its largest inputs', () => {
    const [fault, ...more] = faultsOf({
      'node_modules/@aws-sdk/client-dynamodb/dist-es/a.js': 300_000,
      'node_modules/@aws-sdk/client-dynamodb/dist-es/b.js': 200_000,
      'node_modules/zod/index.js': 100_001,
    });
    expect(more).toEqual([]);
    expect(fault).toContain('funnel/submit has 600.0 KB');
    expect(fault).toContain('@aws-sdk/client-dynamodb 500.0 KB, zod 100.0 KB');
  });

  test('allows at most 700 KB for a bundle with the S3 client', () => {
    const s3 = (bytes: number) => ({ 'node_modules/@aws-sdk/client-s3/dist-es/a.js': bytes });
    expect(faultsOf(s3(700_000))).toEqual([]);
    expect(faultsOf(s3(700_001))).toHaveLength(1);
  });

  test('allows at most 31 KB of own code at the start (background functions: 56 KB); the error names the files', () => {
    const [fault, ...more] = faultsOf({
      'shared/leads/merge.ts': 20_000,
      'functions/funnel/submit/handler.ts': 11_001,
      'node_modules/a/node_modules/@scope/b/index.js': 40_000,
    });
    expect(more).toEqual([]);
    expect(fault).toContain('31.0 KB of own code at a cold start');
    expect(fault).toContain('shared/leads/merge.ts 20.0 KB, functions/funnel/submit/handler.ts 11.0 KB.');
    const inBackground = (bytes: number) =>
      sizeViolations(measureBundle('background/a', built({ 'shared/x.ts': bytes })));
    expect(inBackground(56_000)).toEqual([]);
    expect(inBackground(56_001)).toHaveLength(1);
  });

  test('counts code behind an import() in the total size, but not in the size at the start; ignores unused files', () => {
    const sizes = measureBundle('a/b', {
      'index.mjs': file(
        { 'functions/a/handler.ts': 29_000 },
        { at: ['part-1.mjs', 'node:os'], later: ['later-2.mjs'] },
      ),
      'part-1.mjs': file({ 'shared/eager.ts': 900, 'node_modules/zod/index.js': 70 }),
      'later-2.mjs': file({ 'shared/lazy.ts': 50_000 }),
      'unused-3.mjs': file({ 'shared/dead.ts': 9_000_000 }),
    });
    expect(sizes).toMatchObject({ bytes: 79_970, startBytes: 29_970, ownBytes: 29_900 });
  });

  test('prints a table with one line per bundle', () => {
    const sizes = ['a/b', 'training/create-case'].map((id) => measureBundle(id, built({ 'shared/x.ts': 1_000 })));
    expect(sizeTable(sizes).split('\n')).toEqual([
      'a/b                      1.0 KB of 600.0   at its start   1.0 KB   own   1.0 KB of 31.0',
      'training/create-case     1.0 KB of 600.0   at its start   1.0 KB   own   1.0 KB of 31.0',
    ]);
  });
});
