import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { listenLocally } from '../../../infra/local/common/listen.ts';
import { applyEnvironment, CREDENTIALS } from '../../../infra/local/runtime/environment.ts';
import { foreignOrganization, streamedReply, unknownPaths } from '../../../infra/smoke/api-checks.ts';
import { type Check, resultsOf, Skipped } from '../../../infra/smoke/check.ts';
import { eventCheck } from '../../../infra/smoke/event-check.ts';
import { leadChecks } from '../../../infra/smoke/lead-checks.ts';
import { storeCheck } from '../../../infra/smoke/store-check.ts';
import type { Target } from '../../../infra/smoke/target.ts';
import { useLocalRuntime } from '../../support/local/use-local-runtime.ts';
import { collect } from '../../support/platform/memory-object-store.ts';

const ROOT = join(import.meta.dirname, '../../..');

const runtime = useLocalRuntime();

async function smoke(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const all = ['run', '-s', 'smoke', '--', '--state', runtime.state, ...args];
  try {
    const { stdout, stderr } = await promisify(execFile)('npm', all, { cwd: ROOT });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

test('0: `npm run smoke` passes against `npm start`, skips no check, and erases its lead', async () => {
  const { code, out, err } = await smoke();
  expect({ code, err, out }).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringContaining('9 passed, 0 skipped, 0 failed'),
  });
  const lead = /lead (\S+)\/(\S+) \(erased\)/.exec(out);
  const body = JSON.stringify({ lead_id: lead?.[2], update_token: 'a'.repeat(43), data: {} });
  const submit = `${runtime.demo.baseUrl}/api/v2/public/funnel/${lead?.[1]}/submit`;
  const { status } = await fetch(submit, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  expect(status).toBe(404);
});

test('1: with a token of a user without membership, the event check fails with advice and creates no session', async () => {
  const { code, out, err } = await smoke('--token', runtime.demo.tokens.outsider);
  expect([code, err]).toEqual([1, 'The smoke test failed. See the advice below each failed check.\n']);
  expect(out).toMatch(/^FAIL {2}an event is counted\n {6}Expected status 200, got 403 .*\n {6}.*a token of a member/m);
  expect(out).toMatch(/^skip {2}a code is sent .*\n {6}A rate limit was exceeded\. Try again in \d+ s\.$/m);
  expect(out).not.toContain('Created: session');
});

test('2: the error for an unknown option names --help', async () => {
  const { code, err } = await smoke('--stag', 'dev');
  expect([code, err]).toEqual([2, expect.stringContaining('--help')]);
});

/** Starts a server that responds as a deployment. */
async function respondingWith(respond: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer(respond);
  const port = await listenLocally(server);
  const ingestPaths = ['/api/v2/public/funnel/{id}/analytics', '/api/v2/public/funnel/{id}/e'];
  return { api: `http://127.0.0.1:${port}`, ingestPaths, [Symbol.dispose]: () => void server.close() };
}

const funnel = {
  id: 'f',
  orgId: 'o',
  version: { ai: {}, fields: [{ id: 'mail', type: 'email', verifiable: true }] },
} as unknown as Target['funnel'];

const outcomes = async (checks: readonly Check[], endsAtMs = Date.now() + 30_000) =>
  (await collect(resultsOf(checks, endsAtMs))).map((result) =>
    'reason' in result ? [result.outcome, result.reason] : [result.outcome],
  );

test('the check of unknown paths fails if the gateway responds 403 to an invalid Authorization header', async () => {
  using at = await respondingWith(({ headers }, response) => {
    response.statusCode = headers.authorization === undefined ? 404 : 403;
    response.end('{"error":{"code":"not_found","message":"There is no such path."}}');
  });
  expect(await outcomes([unknownPaths({ ...at, funnel, token: undefined })])).toEqual([
    ['fail', expect.stringContaining('Expected status 404, got 403')],
  ]);
});

test('if a copy replaces an existing object or cannot be read, the store check fails and leaves no objects', async () => {
  const stored = new Map<string, Buffer>();
  let isLost = false;
  using at = await respondingWith(async (request, response) => {
    const { method, url = '' } = request;
    const from = request.headers['x-amz-copy-source'];
    const key = url.split('?')[0] ?? '';
    if (method === 'DELETE') stored.delete(key);
    if (method === 'PUT') stored.set(key, (from && stored.get(`/${from}`)) || (await buffer(request)));
    if (method === 'PUT' && from !== undefined && isLost) stored.delete(key);
    const bytes = stored.get(key);
    if (method === 'GET' && bytes === undefined) {
      response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
      return;
    }
    response.writeHead(200, { etag: '"tag"', ...(bytes && { 'content-range': `bytes 0-1/${bytes.length}` }) });
    response.end(method === 'GET' ? bytes : from && '<CopyObjectResult><ETag>"tag"</ETag></CopyObjectResult>');
  });
  applyEnvironment({
    AWS_REGION: 'eu-central-1',
    AWS_ENDPOINT_URL_S3: at.api,
    UPLOADS_BUCKET: 'uploads',
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  });
  const replaced = expect.stringMatching(/^The copy replaced the file smoke\/\S+\.txt\.$/);
  expect(await outcomes([storeCheck])).toEqual([['fail', replaced]]);
  isLost = true;
  const lost = expect.stringMatching(/^The file smoke\/\S+\.txt was written, but cannot be read\.$/);
  expect(await outcomes([storeCheck])).toEqual([['fail', lost]]);
  expect([...stored.keys()]).toEqual([]);
});

test('the check of streaming fails if the response is not streamed', async () => {
  using at = await respondingWith(async (_, response) => {
    await sleep(200);
    response.end('a complete response '.repeat(10_000));
  });
  expect(await outcomes([streamedReply({ ...at, funnel, token: undefined })])).toEqual([
    ['fail', expect.stringContaining('was not streamed')],
  ]);
});

test('the event check fails if one path of ingest does not exist', async () => {
  using at = await respondingWith(({ method, url = '' }, response) => {
    response.statusCode = url.endsWith('/f/e') ? 404 : 200;
    response.end(method === 'POST' ? '{"received":1}' : '{"devices":[{"total":0}]}');
  });
  expect(await outcomes([eventCheck({ ...at, funnel, token: 'a-token' }, new Map(), 1_000)])).toEqual([
    ['fail', expect.stringContaining('Expected status 200, got 404')],
  ]);
});

test('if an event is accepted but not counted, the event check fails and reports that it created a session', async () => {
  using at = await respondingWith(({ method }, response) =>
    response.end(method === 'POST' ? '{"received":1}' : '{"devices":[{"total":0}]}'),
  );
  const created = new Map<string, string>();
  expect(await outcomes([eventCheck({ ...at, funnel, token: 'a-token' }, created, 1_000)])).toEqual([
    ['fail', expect.stringContaining('not counted')],
  ]);
  expect([...created.keys()]).toEqual([expect.stringMatching(/^session smoke-/)]);
});

test.each([
  ['The lead has no field to send a code to (body.lead_id).', 'skip'],
  ['body.channel is not available for this lead. Omit it to use an available channel.', 'fail'],
])(
  'if mfa/send returns 400 with %j, the outcome of the code check is "%s"; a lead that was not erased is reported',
  async (message, outcome) => {
    using at = await respondingWith(({ url }, response) => {
      const isSend = url?.endsWith('send');
      response.statusCode = isSend ? 400 : 200;
      response.end(
        isSend ? JSON.stringify({ error: { code: 'bad_request', message } }) : '{"data":{"id":"l","update_token":"t"}}',
      );
    });
    const created = new Map<string, string>();
    const results = await outcomes(leadChecks({ ...at, funnel, token: undefined }, created));
    expect(results.map(([result]) => result)).toEqual(['pass', 'fail', outcome, 'fail']);
    expect([...created]).toEqual([['lead f/l', 'NOT ERASED']]);
  },
);

test('without --funnel and --token, checks that need them are skipped; each result names a missing option', async () => {
  using at = await respondingWith((_, response) => {
    response.statusCode = 401;
    response.end('{"error":{"code":"unauthorized","message":"A token is needed."}}');
  });
  const target = { ...at, funnel: undefined, token: undefined };
  const checks = [foreignOrganization(target), streamedReply(target), eventCheck(target, new Map())];
  expect(await outcomes([...checks, ...leadChecks(target, new Map())])).toEqual([
    ['skip', expect.stringContaining('--token')],
    ...Array.from({ length: 6 }, () => ['skip', expect.stringContaining('--funnel')]),
  ]);
});

test('a check that does not end before the deadline fails, and later checks fail without being started', async () => {
  const skipped: Check = {
    name: 'skipped',
    advice: '',
    run: () => Promise.reject(new Skipped('It cannot run here.')),
  };
  const silent: Check = { name: 'silent', advice: '', run: () => new Promise(() => undefined) };
  expect(await outcomes([skipped, silent, skipped], Date.now() + 300)).toEqual([
    ['skip', 'It cannot run here.'],
    ['fail', 'The check did not finish within 1 s.'],
    ['fail', 'The time limit for all checks was over before this check began.'],
  ]);
});
