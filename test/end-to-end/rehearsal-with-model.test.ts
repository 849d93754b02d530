import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DEMO_IDS } from '../../infra/local/seed/demo-ids.ts';
import type { TrainingCall } from '../../shared/training/call.ts';
import { npmAdmin } from '../support/cli/npm-admin.ts';
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
  const { out } = await npmAdmin(runtime, 'training', 'rehearse', DEMO_IDS.trainingCase, '--good', '--json');
  return (JSON.parse(out) as { call: TrainingCall }).call;
}

type Line = { case?: { dos: { id: string }[] }; speaker?: string; text?: string };
const linesIn = (body: Record<string, unknown>): Line[] =>
  ((body.messages as { content: string }[])[1]?.content ?? '').split('\n').map((line) => JSON.parse(line));

test('a rehearsed call is judged by the model too, and what it quotes stands in the transcript', async () => {
  model.answer(({ body }) => {
    const lines = linesIn(body);
    const last = lines.findLast(({ speaker }) => speaker === 'customer')?.text ?? '';
    const dos = lines[0]?.case?.dos.map(({ id }) => ({ id, quotes: [], covered: false }));
    const answer = { summary: 'Well done.', dos, successCriteria: { quotes: [last], met: true } };
    return { deltas: [JSON.stringify(answer)], usage: { input: 2_000, output: 100 } };
  });
  const call = await rehearsed();
  expect(call).toMatchObject({ status: 'ready', analysis: { judgedBy: 'model', successCriteria: { met: true } } });
  const said = call.transcript?.map(({ message }) => message);
  for (const { quote } of call.analysis?.successCriteria.evidence ?? []) expect(said).toContain(quote);
  expect(model.calls).toMatchObject([{ headers: { authorization: 'Bearer sk-local' }, body: { model: 'local' } }]);
}, 120_000);

test('a model that fails costs no call its score: the rules judge alone, and say so', async () => {
  model.answer({ status: 500, said: '{}' });
  const call = await rehearsed();
  expect(call).toMatchObject({ status: 'ready', analysis: { judgedBy: 'rules', successCriteria: { met: null } } });
  expect(call.score?.total).toBeGreaterThan(50);
  expect(model.calls.length).toBeGreaterThan(0);
}, 120_000);
