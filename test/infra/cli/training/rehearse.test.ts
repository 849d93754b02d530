import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DEMO_CASE, demoPersonas } from '../../../../infra/local/seed/demo-cases.ts';
import { putRecords } from '../../../../infra/local/seed/put-records.ts';
import { trainingKey } from '../../../../shared/training/aws/training-table.ts';
import { admin } from '../../../support/cli/admin.ts';
import { anOrganization } from '../../../support/cli/training.ts';
import { useDynamo } from '../../../support/dynamo.ts';

useDynamo();

/** Responses of the API and the rehearsal agent. A key is the end of the request path. */
type Responses = Record<string, { status: number; body: unknown }>;

const orgId = randomUUID();
const callId = randomUUID();
const [persona] = demoPersonas('2026-01-01T00:00:00.000Z');
let state: string;
let server: Server;
let requests: { path: string; authorization: string | undefined; body: string }[];
let responses: Responses;

beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'tributary-state-'));
  [requests, responses] = [[], successResponses()];
  server = createServer(async (request, response) => {
    let body = '';
    for await (const bytes of request.setEncoding('utf8')) body += bytes;
    const path = request.url ?? '';
    requests.push({ path, authorization: request.headers.authorization, body });
    const found = Object.entries(responses).find(([end]) => path.endsWith(end))?.[1];
    response
      .writeHead(found?.status ?? 404)
      .end(typeof found?.body === 'string' ? found.body : JSON.stringify(found?.body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubEnv('VOICE_BASE_URL', baseUrl);
  await writeDemo({ baseUrl });
  await putRecords('trainingTable', [
    { ...trainingKey.trainingCase(orgId, DEMO_CASE.id), ...DEMO_CASE },
    { ...trainingKey.persona(orgId, persona.id), ...persona },
  ]);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
  await rm(state, { recursive: true });
});

const writeDemo = (changes: object) =>
  writeFile(
    join(state, 'demo.json'),
    JSON.stringify({
      organizations: { a: { id: orgId } },
      tokens: { memberA: 'token-of-a' },
      personaIds: [persona.id],
      ...changes,
    }),
  );

const aCall = (changes: object = {}) => ({
  id: callId,
  orgId,
  userId: randomUUID(),
  caseId: DEMO_CASE.id,
  personaId: persona.id,
  conversationId: 'c',
  agentId: 'a',
  status: 'failed',
  durationSeconds: null,
  recordingKey: null,
  failureReason: 'It broke.',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  caseSnapshot: DEMO_CASE,
  ...changes,
});
const successResponses = (): Responses => ({
  '/training/session': {
    status: 201,
    body: { token: 'ws://t', systemPrompt: 's', firstMessage: 'Hm?', trainingCallId: callId },
  },
  '/rehearsals': {
    status: 200,
    body: { transcript: [{ role: 'agent', message: 'Hm\u001b[31m?', time_in_call_secs: 65 }] },
  },
  [`/calls/${callId}`]: { status: 200, body: aCall() },
});

const rehearse = (...args: string[]) => admin(['training', 'rehearse', DEMO_CASE.id, '--state', state, ...args]);
const pathsOf = () => requests.map(({ path }) => path.split('/').at(-1));

test('1: opens a session as member A and sends the case to the rehearsal agent, but the call gets no score', async () => {
  const { code, out, err } = await rehearse('--poor');
  expect(pathsOf()).toEqual(['session', 'rehearsals', callId]);
  expect(requests[0]?.authorization).toBe('Bearer token-of-a');
  expect(requests[1]?.authorization).toBeUndefined();
  expect(JSON.parse(requests[1]?.body ?? '')).toMatchObject({
    signed_url: 'ws://t',
    first_message: 'Hm?',
    script: 'poor',
    language: 'en',
    case: { dos: [{ label: 'Ask what happened before offering anything' }, {}] },
    persona: { name: 'Alex Example' },
  });
  expect(out).toContain('01:05  customer  Hm\\u001b[31m?');
  expect(out).toContain('failed: It broke.');
  expect([code, err]).toEqual([1, expect.stringContaining('The call has the status "failed" and no score')]);
});

test('--json: prints only the script and the call as JSON', async () => {
  const { out } = await rehearse('--json', '--unreachable');
  expect(out.endsWith('}\n')).toBe(true);
  expect(JSON.parse(out)).toEqual({ script: 'unreachable', call: aCall({ userId: expect.any(String) }) });
});

const refused = (status: number, message?: string) => ({
  status,
  body: message === undefined ? '<html>' : { error: { code: 'x', message } },
});

test.each([
  [
    '/training/session',
    refused(429, 'Too many sessions.'),
    'The API returned status 429: Too many sessions.',
    ['session'],
  ],
  ['/training/session', refused(401, 'No.'), 'have expired: start Tributary again.', ['session']],
  ['/training/session', refused(502), 'The API returned status 502.', ['session']],
  ['/rehearsals', refused(403), 'The rehearsal agent returned status 403.', ['session', 'rehearsals']],
  [
    `/calls/${callId}`,
    refused(500, 'Internal.'),
    'The API returned status 500: Internal.',
    ['session', 'rehearsals', callId],
  ],
])('1: reports an error response to %s in one line, and stops', async (path, response, sentence, paths) => {
  responses = { ...responses, [path]: response };
  const { code, err } = await rehearse('--json');
  expect(code).toBe(1);
  expect(err).toContain(sentence);
  expect(err.trim().split('\n')).toHaveLength(1);
  expect(pathsOf()).toEqual(paths);
});

test('1: reports an API that is not reachable', async () => {
  await writeDemo({ baseUrl: 'http://127.0.0.1:9' });
  expect(await rehearse()).toMatchObject({
    code: 1,
    err: expect.stringContaining('check that "npm start" still runs'),
  });
  expect(requests).toEqual([]);
});

test('1: reports a local environment that is still starting', async () => {
  await rm(join(state, 'demo.json'));
  expect(await rehearse()).toMatchObject({
    code: 1,
    out: '',
    err: 'Tributary is still starting: try again in a moment.\n',
  });
});

test('2: rejects --stage with a message and connects to nothing', async () => {
  const connect = vi.fn();
  const result = await admin(['training', 'rehearse', DEMO_CASE.id, '--stage', 'dev'], { connect });
  expect(result).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining('rehearsals need the local environment'),
  });
  expect(connect).not.toHaveBeenCalled();
});

const transcriptFile = async (text: string | Uint8Array) => {
  const file = join(state, 'call.txt');
  await writeFile(file, text);
  return file;
};

const TRANSCRIPT = `[00:02] customer: Yes, who is speaking?
Trainee: Good morning. What happened before you called us?

[01:05] customer: My roof leaks.
trainee: I see. When can I come and look at it?\r
customer: On Monday.
`;

test('--transcript: scores a conversation from a file without requests to the API', async () => {
  const other = await anOrganization();
  const createdAt = '2026-01-01T00:00:00.000Z';
  const ownCase = { ...DEMO_CASE, id: randomUUID(), name: 'A case of ours', createdAt };
  await putRecords('trainingTable', [{ ...trainingKey.trainingCase(other, ownCase.id), ...ownCase }]);
  const file = await transcriptFile(TRANSCRIPT);
  const args = ['training', 'rehearse', ownCase.id, '--state', state, '--organization', other, '--transcript', file];
  const { code, out, err } = await admin(args);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^A case of ours$/m);
  expect(out).toMatch(/^00:02 {2}customer {2}Yes, who is speaking\?$/m);
  expect(out).toMatch(/^01:06 {2}trainee {3}I see\. When can I come/m);
  expect(out).toMatch(/^SCORE \d+ of 100 \(provisional\)$/m);
  expect(JSON.parse((await admin([...args, '--json'])).out)).toMatchObject({
    transcript: { length: 5, 0: { role: 'agent', message: 'Yes, who is speaking?', timeInCallSecs: 2 } },
    analysis: { judgedBy: 'rules', metrics: { turns: 5, questionsAsked: 2 } },
    score: { total: expect.any(Number) },
  });
  expect(requests).toEqual([]);
});

test.each<[string, string | Uint8Array, string]>([
  ['a line without a role', 'trainee: Hello.\n\nHow are you?', ', line 3: the line must begin with "trainee:"'],
  ['an unknown role', 'trainee: Hello.\nboss: No.', ', line 2: the line must begin with "trainee:"'],
  ['an invalid time', '[1:99] trainee: Hello.', ', line 1: the line must begin with "trainee:"'],
  ['a line without text', 'trainee: Hello.\ncustomer:  ', ', line 2: there is no text after "customer:".'],
  ['decreasing times', '[01:00] trainee: A.\n[00:59] customer: B.', ', line 2: the time is before'],
  [
    'no line of the trainee',
    'customer: Hello?',
    'has no line of the trainee: begin at least one line with "trainee:".',
  ],
  ['no lines', '', 'has no line of the trainee: begin at least one line with "trainee:".'],
  ['bytes that are not UTF-8', new Uint8Array([0xff, 0xfe, 0x00]), 'is not UTF-8 text: save it as UTF-8.'],
])('1: rejects a transcript with %s, with a message that names the file', async (_, text, sentence) => {
  const file = await transcriptFile(text);
  const { code, out, err } = await rehearse('--transcript', file);
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain(file);
  expect(err).toContain(sentence);
});

test('1: reports a transcript file that does not exist, and a case that the organization does not have', async () => {
  expect(await rehearse('--transcript', join(state, 'none.txt'))).toMatchObject({
    code: 1,
    err: expect.stringContaining('does not exist'),
  });
  const other = ['--organization', await anOrganization(), '--transcript', await transcriptFile(TRANSCRIPT)];
  expect(await rehearse(...other)).toMatchObject({
    code: 1,
    err: expect.stringContaining(`has no case ${DEMO_CASE.id}`),
  });
});

test.each([
  [['--transcript', 'a.txt', '--poor']],
  [['--transcript', 'a.txt', '--persona', randomUUID()]],
  [['--organization', randomUUID()]],
  [['--good', '--poor']],
  [['--poor', '--unreachable']],
  [['--persona', 'x']],
])('2: the options %j are a usage error', async (args) => {
  expect((await rehearse(...args)).code).toBe(2);
  expect(requests).toEqual([]);
});
