import { expect, test } from 'vitest';
import { readCallOperation } from '../../../../functions/training/read-call/operation.ts';
import { CALL_SECONDS, RECORDING_KEY, TRANSCRIPT } from '../../../../infra/local/seed/demo-call.ts';
import { DEMO_CASE } from '../../../../infra/local/seed/demo-cases.ts';
import { analyseTranscript } from '../../../../shared/training/analysis/analyse-transcript.ts';

test('the example of the operation shows the finished call of the demo with its computed analysis', () => {
  const call = { trainingCase: DEMO_CASE, turns: TRANSCRIPT, durationSeconds: CALL_SECONDS, interruptions: 0 };
  expect(readCallOperation.examples.response).toMatchObject({
    caseSnapshot: DEMO_CASE,
    transcript: TRANSCRIPT,
    durationSeconds: CALL_SECONDS,
    recordingKey: RECORDING_KEY,
    ...analyseTranscript(call),
  });
});
