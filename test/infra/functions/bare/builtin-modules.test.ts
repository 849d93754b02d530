import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bundleFunction } from '../../../../infra/bundles/bundle.ts';

const DIST = join(import.meta.dirname, '..', '..', '..', '..', 'dist');
mkdirSync(DIST, { recursive: true });
const folder = mkdtempSync(join(DIST, 'test-'));
afterAll(() => rmSync(folder, { recursive: true }));

let bundles = 0;

/** Bundles a module and returns the result of its handler, which runs in a separate process. */
async function printed(source: string): Promise<unknown> {
  const [entry, name] = [join(folder, 'handler.ts'), `bundle-${++bundles}`];
  writeFileSync(entry, source);
  await bundleFunction(name, entry, join(folder, name));
  const script = `const made = await import(process.argv[1]); console.log(JSON.stringify(await made.handler()));`;
  const bundle = join(folder, name, 'index.mjs');
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', script, bundle], { encoding: 'utf8' }),
  );
}

/** Code that lists the loaded internal modules of Node whose name matches `pattern`. */
const loadedModules = (pattern: RegExp) => `process.moduleLoadList.filter((name) => ${pattern}.test(name))`;

test('a bundle with SDK clients loads neither a WebSocket client nor HTTP/2 nor web streams at its start', async () => {
  const source = `import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
    import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
    const clients = [DynamoDBClient, S3Client].map((Client) => new Client({ region: 'eu-central-1' }));
    const held = [...clients, GetObjectCommand, PutObjectCommand];
    const loaded = ${loadedModules(/undici|http2$|webstreams\/readable/)};
    export const handler = () => [held.length, loaded];`;
  expect(await printed(source)).toEqual([4, []]);
});

test('a bundle without an S3 client loads zlib only when its handler uses it', async () => {
  const source = `import { gunzipSync, gzipSync } from 'node:zlib';
    const loadedAtStart = ${loadedModules(/ zlib$/)};
    export const handler = () =>
      [loadedAtStart, gunzipSync(gzipSync('text')).toString(), ${loadedModules(/NativeModule zlib$/)}];`;
  expect(await printed(source)).toEqual([[], 'text', ['NativeModule zlib']]);
});

test("in a bundle, default, named and namespace imports provide the exports of Node's modules", async () => {
  const source = `import http, { createServer, STATUS_CODES } from 'node:http';
    import * as crypto from 'crypto';
    import { constants } from 'node:http2';
    const [ownHttp, ownCrypto] = ['node:http', 'node:crypto'].map((name) => process.getBuiltinModule(name));
    export const handler = () => [http.Agent === ownHttp.Agent, createServer === ownHttp.createServer,
      STATUS_CODES[404], crypto.createHash === ownCrypto.createHash, constants.HTTP2_HEADER_PATH];`;
  expect(await printed(source)).toEqual([true, true, 'Not Found', true, ':path']);
});
