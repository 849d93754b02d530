import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DEMO_IDS } from '../../infra/local/seed/demo-ids.ts';
import type { TrainingCall } from '../../shared/training/call.ts';
import { adminOf } from '../support/cli/npm-admin.ts';
import { type LocalRuntime, startLocalRuntime } from '../support/local/runtime.ts';
import { startTextModelServer } from '../support/text-model-server.ts';

const model = await startTextModelServer();
let runtime: LocalRuntime;
beforeAll(async () => {
  const env = { AI_BASE_URL: model.baseUrl, AI_MODELS: 'local', AI_API_KEY: 'sk-local' };
  runtime = await startLocalRuntime({ args: ['--empty'], env });
}, 120_000);
beforeEach(() => void model.calls.splice(0));
afterAll(async () => {
  await runtime?.stop();
  model.close();
}, 30_000);

async function rehearsed(): Promise<TrainingCall> {
  const { out } = await adminOf(runtime, 'training', 'rehearse', DEMO_IDS.trainingCase, '--good', '--json');
  return (JSON.parse(out) as { call: TrainingCall }).call;
}

type Line = { case?: { dos: { id: string }[] }; sentence?: number; speaker?: string; text?: string };
const linesIn = (body: Record<string, unknown>): Line[] =>
  ((body.messages as { content: string }[])[1]?.content ?? '').split('\n').map((line) => JSON.parse(line));

test('a rehearsed call is judged by the model, and its evidence is quoted from the transcript', async () => {
  model.answer(({ body }) => {
    const [head, ...sentences] = linesIn(body);
    if (head?.case === undefined) return { deltas: ['{"shown": true}'], usage: { input: 500, output: 10 } };
    const last = sentences.findLast(({ speaker }) => speaker === 'customer')?.sentence ?? 0;
    const dos = head.case.dos.map(({ id }) => ({ id, sentences: [], covered: false }));
    const verdict = { summary: 'Well done.', dos, successCriteria: { sentences: [last], met: true } };
    return { deltas: [JSON.stringify(verdict)], usage: { input: 2_000, output: 100 } };
  });
  const call = await rehearsed();
  expect(call).toMatchObject({ status: 'ready', analysis: { judgedBy: 'model', successCriteria: { met: true } } });
  const said = call.transcript?.map(({ message }) => message).join('\n');
  expect(call.analysis?.successCriteria.evidence).toHaveLength(1);
  for (const { quote } of call.analysis?.successCriteria.evidence ?? []) expect(said).toContain(quote);
  const request = { headers: { authorization: 'Bearer sk-local' }, body: { model: 'local' } };
  expect(model.calls).toMatchObject([request, request]);
}, 120_000);

test('if the model fails, a call is scored by rules', async () => {
  model.answer({ status: 500, said: '{}' });
  const call = await rehearsed();
  expect(call).toMatchObject({ status: 'ready', analysis: { judgedBy: 'rules', successCriteria: { met: null } } });
  expect(call.score?.total).toBeGreaterThan(50);
  expect(model.calls.length).toBeGreaterThan(0);
}, 120_000);
