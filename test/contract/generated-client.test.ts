import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../../functions/declarations.ts';
import { buildOpenApiDocument } from '../../infra/openapi/document.ts';
import { DOCUMENTS, readDocument } from '../support/documents.ts';

const ROOT = join(import.meta.dirname, '../..');
const CLIENT = join(import.meta.dirname, 'client');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-client-'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await copyFile(join(CLIENT, 'readme-calls.ts'), join(folder, 'readme-calls.ts'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Generator = {
  default(document: string): Promise<object[]>;
  astToString(types: object[]): string;
};

/** Returns the types that openapi-typescript generates without options. */
async function generatedTypes(document: object): Promise<string> {
  const generator = createRequire(join(CLIENT, 'package.json')).resolve('openapi-typescript');
  const { default: typesOf, astToString }: Generator = await import(pathToFileURL(generator).href);
  return astToString(await typesOf(JSON.stringify(document)));
}

/** Compiles `readme-calls.ts` with types that are generated from the document. @returns the errors of the compiler */
async function compiled(document: object): Promise<string> {
  await writeFile(join(folder, 'openapi.d.ts'), await generatedTypes(document));
  const options = '--strict --noEmit --ignoreConfig --module nodenext --target es2024 --lib es2024,dom';
  const args = [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options.split(' '), 'readme-calls.ts'];
  const run = promisify(execFile)(process.execPath, args, { cwd: folder });
  return run.then(({ stdout }) => stdout).catch(({ stdout }) => stdout);
}

test('the requests of the README and the guides compile with a generated client', { timeout: 60_000 }, async () => {
  expect(await compiled(buildOpenApiDocument(operations))).toBe('');
});

test('a request that differs from the OpenAPI document does not compile', { timeout: 60_000 }, async () => {
  const document = JSON.stringify(buildOpenApiDocument(operations)).replaceAll(
    '"successCriteria"',
    '"success_criteria"',
  );
  expect(await compiled(JSON.parse(document))).toContain('successCriteria');
});

/** Finds paths in the text with `pathOf`. Returns the ids of their operations. Path parameters match any segment. */
function calledIn(text: string, pathOf: RegExp): string[] {
  const paths = [...text.matchAll(pathOf)].map(([, path = '']) => path);
  const called = operations.filter(({ path }) => {
    const template = new RegExp(`^${path.replace('/api/v2', '').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    return paths.some((one) => template.test(one));
  });
  return called.map(({ id }) => id);
}

test('readme-calls.ts calls the same operations as the README and the guides', async () => {
  // CONTRIBUTING.md is left out, because it calls an operation that only its example adds.
  const guides = DOCUMENTS.filter((path) => path !== 'CONTRIBUTING.md');
  const text = guides.map(readDocument).join('\n');
  const calls = await readFile(join(CLIENT, 'readme-calls.ts'), 'utf8');
  const inReadme = calledIn(text.replaceAll(/\$\([^)]*\)/g, 'ID'), /"\$API(\/[^"?]+)[^"]*"/g);
  expect(inReadme.length).toBeGreaterThan(10);
  const compiledCalls = calledIn(calls, /'\/api\/v2(\/[^']+)'/g);
  expect(compiledCalls, 'test/contract/client/readme-calls.ts must have the requests of the documents').toEqual(
    inReadme,
  );
});
