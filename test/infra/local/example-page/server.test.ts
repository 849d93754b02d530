import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundlePageClient, readIntegrity } from '../../../../infra/bundles/page-client.ts';
import { startPages } from '../../../../infra/local/example-page/server.ts';
import { ALIAS_FOLDER, VERSION_FOLDER } from '../../../../infra/page-client/delivery.ts';
import { demoAt } from '../../../support/browser/stub-api.ts';

const demo = demoAt('http://127.0.0.1:3000');
demo.organizations.a.name = '</script><script>alert(1)</script>';
demo.aws.s3 = 'http://127.0.0.1:3900';

let pages: Awaited<ReturnType<typeof startPages>>;
beforeAll(async () => {
  pages = await startPages(0);
  pages.show(demo);
});
afterAll(() => pages.close());

const open = (path: string) => fetch(`http://127.0.0.1:${pages.port}${path}`);

test('each page contains only the token that it needs', async () => {
  const texts = await Promise.all(['/', '/numbers', '/api'].map(async (path) => (await open(path)).text()));
  expect(texts[0]).toContain('data-funnel="funnel-id"');
  expect(texts[0]).not.toContain('{{');
  expect(texts.map((text) => text.match(/the-(admin-)?token/g))).toEqual([null, ['the-token'], ['the-admin-token']]);
});

test('no value can close the script element that contains it', async () => {
  const text = await (await open('/numbers')).text();
  expect(text).not.toContain('<script>alert');
  const config = /<script type="application\/json" id="config">(.*?)<\/script>/.exec(text)?.[1] ?? '';
  expect(JSON.parse(config).organization).toEqual(demo.organizations.a);
});

test('no value can close the attribute that contains it', async () => {
  const { funnel } = demo;
  const other = await startPages(0);
  other.show({ ...demo, funnel: { ...funnel, versionId: '"><script>alert(1)</script>&amp;' } });
  const text = await (await fetch(`http://127.0.0.1:${other.port}/`)).text();
  await other.close();
  expect(text).toContain('data-version="&quot;><script>alert(1)</script>&amp;amp;"');
});

test.each(['/', '/numbers'])('scripts of %s cannot create HTML from strings', async (path) => {
  const policy = (await open(path)).headers.get('content-security-policy');
  expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none';");
});

test.each(['/', '/numbers', '/api'])(
  'the content security policy of %s allows only scripts of the server, and connections only to the API and S3',
  async (path) => {
    const policy = (await open(path)).headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain('connect-src http://127.0.0.1:3000 http://127.0.0.1:3900;');
    expect(policy).not.toContain('unsafe');
  },
);

test.each([
  '/../server.ts',
  '/%2e%2e/server.ts',
  '/..%2fserver.ts',
  '/server.ts',
  '/funnel.html',
  '/.env',
  '//',
  '/%',
  '/client/',
  '/client/funnel.js',
  `/${ALIAS_FOLDER}/`,
  `/${ALIAS_FOLDER}/../funnel.mjs`,
  `/${ALIAS_FOLDER}/integrity.json`,
  '/client/1/funnel.js',
])('404: the path %s is not served', async (path) => {
  expect(await statusOf('GET', path)).toBe(404);
});

test.each([
  `/${VERSION_FOLDER}/funnel.js`,
  `/${ALIAS_FOLDER}/funnel.js`,
  `/${ALIAS_FOLDER}/funnel.mjs`,
  `/${ALIAS_FOLDER}/form.mjs`,
])('pages of any origin can load %s with an integrity hash', async (path) => {
  await bundlePageClient();
  const response = await open(path);
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  const file = path.slice(path.lastIndexOf('/') + 1);
  const hash = createHash('sha384').update(Buffer.from(await response.arrayBuffer()));
  expect((await readIntegrity())[file]).toBe(`sha384-${hash.digest('base64')}`);
});

test('503: the pages are not served before the demo is ready', async () => {
  const other = await startPages(0);
  expect((await fetch(`http://127.0.0.1:${other.port}/`)).status).toBe(503);
  await other.close();
});

test('starting on a port that is in use throws EADDRINUSE', async () => {
  await expect(startPages(pages.port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('405: methods other than GET and HEAD are rejected', async () => {
  expect(await statusOf('POST', '/')).toBe(405);
  expect(await statusOf('HEAD', '/')).toBe(200);
});

/** Sends the path unchanged. `fetch` would normalize it. */
function statusOf(method: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { port } = pages;
    const sent = request({ hostname: '127.0.0.1', port, method, path }, (response) =>
      resolve(response.resume().statusCode),
    );
    sent.on('error', reject).end();
  });
}
