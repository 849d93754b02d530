import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, test, vi } from 'vitest';
import { BUCKETS, CREDENTIALS } from '../../infra/local/runtime/environment.ts';
import { DEMO_IDS } from '../../infra/local/seed/demo-ids.ts';
import type { TrainingCall } from '../../shared/training/call.ts';
import { adminOf, npmAdmin } from '../support/cli/npm-admin.ts';
import { useLocalRuntime } from '../support/local/use-local-runtime.ts';
import { receiveMessages } from '../support/local/webhook-messages.ts';

// Uses a new service, because other test files open training sessions, and a user may open only ten per minute.
const runtime = useLocalRuntime({ isNew: true });

const rehearse = (...args: string[]) => adminOf(runtime, 'training', 'rehearse', ...args);

async function rehearsed(...args: string[]): Promise<TrainingCall> {
  const { code, out, err } = await rehearse(...args, '--json');
  expect([code, err]).toEqual([0, '']);
  return (JSON.parse(out) as { call: TrainingCall }).call;
}

async function readCall(
  id: string,
  token = runtime.demo.tokens.memberA,
): Promise<{ status: number; call: TrainingCall }> {
  const { baseUrl, organizations } = runtime.demo;
  const answer = await fetch(`${baseUrl}/api/v2/organizations/${organizations.a.id}/training/calls/${id}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: answer.status, call: (await answer.json()) as TrainingCall };
}

async function recordingAt(key: string): Promise<Buffer> {
  const { s3, region } = runtime.demo.aws;
  const client = new S3Client({ endpoint: s3, region, credentials: CREDENTIALS, forcePathStyle: true });
  const { Body } = await client.send(new GetObjectCommand({ Bucket: BUCKETS.training, Key: key }));
  return buffer(Body as NodeJS.ReadableStream);
}

const coveredIn = ({ analysis }: TrainingCall): number => analysis?.dos.filter(({ covered }) => covered).length ?? 0;

describe.each([
  ['en', DEMO_IDS.trainingCase],
  ['de', DEMO_IDS.germanCase],
] as const)('for a case in the language %s,', (language, caseId) => {
  test('a good rehearsal gets a score of at least 70, and a poor rehearsal gets at most 35', async () => {
    const good = await rehearsed(caseId, '--good');
    const poor = await rehearsed(caseId, '--poor');
    for (const call of [good, poor]) {
      expect(call).toMatchObject({ status: 'ready', caseId, caseSnapshot: { id: caseId }, failureReason: null });
      expect(call.analysis).toMatchObject({ language, judgedBy: 'rules' });
      expect(call.durationSeconds).toBeGreaterThan(60);
    }
    expect(good.score?.total).toBeGreaterThanOrEqual(70);
    expect(poor.score?.total).toBeLessThanOrEqual(35);
    expect(coveredIn(good)).toBe(good.caseSnapshot?.dos.length);
    expect(coveredIn(poor)).toBe(0);
    const said = good.transcript?.map(({ message }) => message).join('\n');
    for (const { evidence } of good.analysis?.dos ?? []) {
      expect(evidence.length).toBeGreaterThan(0);
      for (const { quote } of evidence) expect(said).toContain(quote);
    }
    expect(good.analysis?.metrics).toMatchObject({ interruptions: 0, fillerWords: 0 });
    expect(poor.analysis?.metrics.interruptions).toBeGreaterThanOrEqual(2);
    expect(poor.analysis?.metrics.fillerWords).toBeGreaterThan(10);
    expect(poor.analysis?.metrics.questionsAsked).toBe(0);
  }, 120_000);
});

test('the recording of a rehearsed call is stored, and another member cannot read the call', async () => {
  const { id } = await rehearsed(DEMO_IDS.trainingCase);
  const { call } = await vi.waitFor(
    async () => {
      const read = await readCall(id);
      expect(read.call.recordingKey).not.toBeNull();
      return read;
    },
    { timeout: 90_000, interval: 250 },
  );
  const sound = await recordingAt(call.recordingKey ?? '');
  expect(sound.subarray(0, 3).toString()).toBe('ID3');
  expect((await readCall(id, runtime.demo.tokens.secondMemberA)).status).toBe(403);
  expect((await readCall(id, runtime.demo.tokens.adminA)).status).toBe(200);
}, 120_000);

test('a webhook endpoint gets one message about a scored call, without the text of the transcript', async () => {
  const messages = await receiveMessages(runtime, 'call.scored');
  const { id, orgId, userId, score, transcript } = await rehearsed(DEMO_IDS.trainingCase);
  await vi.waitFor(async () => expect(await messages()).toHaveLength(1), { timeout: 20_000, interval: 200 });
  const [message] = await messages();
  expect(message).toMatchObject({
    type: 'call.scored',
    data: {
      version: 1,
      orgId,
      callId: id,
      seq: 1,
      call: { userId, caseId: DEMO_IDS.trainingCase, status: 'ready', score: { total: score?.total } },
    },
  });
  for (const turn of transcript ?? []) expect(JSON.stringify(message)).not.toContain(turn.message);
}, 120_000);

test('an unanswered call fails with a readable reason and without a score', async () => {
  const call = await rehearsed(DEMO_IDS.trainingCase, '--unreachable');
  expect(call).toMatchObject({
    status: 'failed',
    failureReason: expect.stringMatching(/\w+.*\.$/),
    recordingKey: null,
  });
  expect(call.transcript ?? null).toBeNull();
  expect(call.score ?? null).toBeNull();
}, 60_000);

test('0: "training rehearse" prints the conversation, the score with its reasons, and quotes with times', async () => {
  const chosen = ['--persona', DEMO_IDS.personas[0]];
  const { code, out } = await npmAdmin(runtime, 'training', 'rehearse', DEMO_IDS.trainingCase, ...chosen);
  expect(code).toBe(0);
  expect(out).toMatch(/^The sceptical homeowner, with Alex Example \(en\)$/m);
  expect(out).toMatch(/^00:00 {2}customer {2}\S/m);
  expect(out).toMatch(/^\d\d:\d\d {2}trainee {3}\S/m);
  expect(out).toMatch(/^SCORE \d+ of 100 \(provisional\)$/m);
  expect(out).toMatch(/^✓ Ask what happened before offering anything\n {4}\d\d:\d\d {2}“.+”$/m);
  expect(out).toMatch(/^questions asked +\d+$/m);
}, 60_000);

test('1: "training rehearse" prints only an error for a missing case, an archived case and a missing persona', async () => {
  expect(await rehearse(randomUUID())).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/has no case .*\.\n$/),
  });
  expect(await rehearse(DEMO_IDS.archivedCase)).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/was archived on 20/),
  });
  expect(await rehearse(DEMO_IDS.trainingCase, '--persona', randomUUID())).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/has no persona/),
  });
}, 60_000);
