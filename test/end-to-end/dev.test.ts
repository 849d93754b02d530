import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { decode } from '@jridgewell/sourcemap-codec';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { GRANTS_FOLDER } from '../../infra/policies/grant-usage.ts';
import { POLICIES_FILE } from '../../infra/policies/policy-file.ts';
import { type CheckoutCopy, copyCheckout } from '../support/checkout-copy.ts';
import { freePort } from '../support/free-port.ts';
import { connectInspector } from '../support/inspector-client.ts';
import { type LocalRuntime, startLocalRuntime } from '../support/local/runtime.ts';

const PATIENCE = { timeout: 30_000, interval: 50 };

let checkout: CheckoutCopy;
let runtime: LocalRuntime;
let inspectPort: number;

beforeAll(async () => {
  checkout = await copyCheckout();
  inspectPort = await freePort();
  const args = ['--empty', '--inspect', '--inspect-port', `${inspectPort}`];
  // Without `POLICIES_FILE`, the service synthesizes the policies of the copy. Without `GRANTS_FOLDER`, the service
  // records no denied AWS calls. A test below provokes such a call, and `npm test` fails if one is recorded.
  const env = { [POLICIES_FILE]: undefined, [GRANTS_FOLDER]: undefined };
  runtime = await startLocalRuntime({ script: 'dev', root: checkout.root, args, env });
  await vi.waitFor(() => expect(runtime.output()).toContain('Watching'), PATIENCE);
}, 120_000);
afterAll(async () => {
  await runtime?.stop();
  await checkout?.remove();
}, 30_000);

/** The original texts of the files that a test has changed, by path. */
const originals = new Map<string, string>();
const restore = async () => {
  for (const [file, text] of originals) await writeFile(file, text);
  originals.clear();
};
afterEach(restore);

/** Replaces text in a file of the copy until the end of the test. */
async function edit(path: string, from: string, to: string): Promise<void> {
  const file = join(checkout.root, path);
  const before = await readFile(file, 'utf8');
  expect(before).toContain(from);
  originals.set(file, originals.get(file) ?? before);
  await writeFile(file, before.replace(from, to));
}

const HEADERS = { 'content-type': 'application/json' };
const funnelUrl = (path: string) => `${runtime.demo.baseUrl}/api/v2/public/funnel/${runtime.demo.funnel.id}/${path}`;
const submit = (path = 'submit', body: object = { data: { name: 'Ada Example' } }) =>
  fetch(funnelUrl(path), { method: 'POST', headers: HEADERS, body: JSON.stringify(body) });
const messageOf = async (response: Response) =>
  ((await response.json()) as { error: { message: string } }).error.message;

/** Sends a submit that `shared/leads/parse-submit.ts` rejects. Returns the message of the error. */
const submitHalfHandle = async () => messageOf(await submit('submit', { data: {}, lead_id: crypto.randomUUID() }));
const FILE = 'shared/leads/parse-submit.ts';
const TEXT = 'must be sent together';

test('a saved change takes effect without a restart, and an earlier lead and its token stay valid', async () => {
  const created = (await (await submit()).json()) as { data: { id: string; update_token: string } };
  await edit(FILE, TEXT, 'belong together');
  await vi.waitFor(async () => expect(await submitHalfHandle()).toContain('belong together'), PATIENCE);
  const { id: lead_id, update_token } = created.data;
  const updated = await submit('submit', { data: { name: 'Ada B. Example' }, lead_id, update_token });
  expect(updated.status).toBe(200);
  await restore();
  await vi.waitFor(async () => expect(await submitHalfHandle()).toContain(TEXT), PATIENCE);
});

test('a syntax error is printed once, with its file and line, and the earlier code stays in use', async () => {
  const shown = () => runtime.output().split('Unexpected token').length - 1;
  await edit(FILE, 'import { HttpError }', 'const broken = ;\nimport { HttpError }');
  await vi.waitFor(() => expect(shown()).toBe(1), PATIENCE);
  expect(runtime.output()).toMatch(/shared\/leads\/parse-submit\.ts:\d+/);
  expect(await submitHalfHandle()).toContain(TEXT);
  await edit('functions/funnel/upload/handler.ts', 'export const handler', '// saved\nexport const handler');
  await vi.waitFor(
    () => expect(runtime.output()).toContain('funnel/upload was not rebuilt. Correct the failure above first.'),
    PATIENCE,
  );
  expect(shown()).toBe(1);
  await restore();
  await edit(FILE, TEXT, 'must come together');
  await vi.waitFor(async () => expect(await submitHalfHandle()).toContain('must come together'), PATIENCE);
});

test('code that throws when it is loaded is reported with its line, and the earlier code stays in use', async () => {
  await edit(
    'functions/funnel/submit/handler.ts',
    'export const handler',
    'if (process.pid > 0) throw new Error("Not loadable.");\nexport const handler',
  );
  await vi.waitFor(
    () => expect(runtime.output()).toMatch(/Not loadable\.\n.*funnel\/submit\/handler\.ts:\d+/),
    PATIENCE,
  );
  expect((await submit()).status).toBe(200);
});

test('npm run logs -- --id shows a failed request, with a stack trace that names lines of TypeScript files', async () => {
  await edit(
    'functions/funnel/submit/handler.ts',
    'const handle = await',
    'if (path.id) throw new Error("Failed on purpose.");\n    const handle = await',
  );
  await vi.waitFor(async () => expect((await submit()).status).toBe(500), PATIENCE);
  const id = (await submit()).headers.get('x-request-id') ?? '';
  const logs = ['run', '-s', 'logs', '--', '--state', runtime.state, '--id', id];
  await vi.waitFor(async () => {
    const { stdout } = await promisify(execFile)('npm', logs, { cwd: checkout.root });
    expect(stdout).toMatch(/^\d\d:\d\d:\d\d {2}500 .*funnel\/submit +\S+\n.*Failed on purpose\./);
    expect(stdout).toMatch(/\n +at [^\n]*functions\/funnel\/submit\/handler\.ts:\d+:\d+/);
  }, PATIENCE);
  await restore();
  await vi.waitFor(async () => expect((await submit()).status).toBe(200), PATIENCE);
});

test('a changed route and changed grants take effect without a restart', async () => {
  const file = 'functions/funnel/submit/operation.ts';
  await edit(file, '{id}/submit', '{id}/send-in');
  await vi.waitFor(async () => expect((await submit('send-in')).status).toBe(200), PATIENCE);
  expect((await submit()).status).toBe(404);
  await restore();
  await vi.waitFor(async () => expect((await submit()).status).toBe(200), PATIENCE);
  await edit(file, "'leads:write', ", '');
  await vi.waitFor(async () => expect((await submit()).status).toBe(500), { timeout: 60_000, interval: 200 });
  expect(runtime.output()).toContain('The function funnel/submit is not allowed dynamodb:PutItem');
  await restore();
  await vi.waitFor(async () => expect((await submit()).status).toBe(200), { timeout: 60_000, interval: 200 });
}, 150_000);

test('a changed funnel of the demo is used after npm run dev -- --reseed', async () => {
  const ask = async () => {
    const response = await fetch(funnelUrl('ai-stream'), {
      method: 'POST',
      headers: HEADERS,
      body: '{"prompt":"What does Northlight Solar do?"}',
    });
    return response.text();
  };
  await edit('infra/local/seed/demo-funnel.ts', 'Northlight Solar plans', 'Northlight Solar sells, plans');
  await vi.waitFor(() => expect(runtime.output()).toContain('npm run dev -- --reseed'), PATIENCE);
  expect(await ask()).not.toContain('sells');
  await promisify(execFile)('npm', ['run', 'dev', '--', '--reseed', '--state', runtime.state], { cwd: checkout.root });
  await vi.waitFor(async () => expect(await ask()).toContain('Northlight Solar sells, plans'), PATIENCE);
});

test('a debugger stops in a handler at a line of its TypeScript file', async () => {
  const inspector = await connectInspector(inspectPort);
  const paused = Promise.withResolvers<{ session: string; line: number }>();
  const bundle = Promise.withResolvers<{ session: string; url: string; sourceMapURL: string }>();
  inspector.onEvent((session, method, params) => {
    if (method === 'NodeWorker.attachedToWorker') void inspector.send(session, 'Debugger.enable');
    if (method === 'Debugger.scriptParsed' && String(params.url).endsWith('/funnel/submit.mjs'))
      bundle.resolve({ session, url: String(params.url), sourceMapURL: String(params.sourceMapURL) });
    if (method === 'Debugger.paused') {
      const [frame] = params.callFrames as { location: { lineNumber: number } }[];
      paused.resolve({ session, line: frame?.location.lineNumber ?? -1 });
    }
  });
  const { session, url, sourceMapURL } = await bundle.promise;
  const lineNumber = await bundledLine(sourceMapURL, 'functions/funnel/submit/handler.ts', 'const handle = await');
  await inspector.send(session, 'Debugger.setBreakpointByUrl', { url, lineNumber });
  const answer = submit();
  expect(await paused.promise).toEqual({ session, line: lineNumber });
  await inspector.send(session, 'Debugger.resume');
  expect((await answer).status).toBe(200);
  inspector.close();
});

/** Finds the first line with `text` in the source file, and returns its zero-based line number in the bundle. */
async function bundledLine(sourceMapUrl: string, path: string, text: string): Promise<number> {
  const map = JSON.parse(Buffer.from(sourceMapUrl.split(',')[1] ?? '', 'base64').toString());
  const source = map.sources.findIndex((name: string) => name.endsWith(path));
  const lines = (await readFile(join(checkout.root, path), 'utf8')).split('\n');
  const sourceLine = lines.findIndex((line) => line.includes(text));
  return decode(map.mappings).findIndex((segments) =>
    segments.some(([, segmentSource, line]) => segmentSource === source && line === sourceLine),
  );
}
