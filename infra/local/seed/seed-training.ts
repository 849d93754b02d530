import { deriveUserId } from '../../../shared/organizations/user-id.ts';
import { analyseTranscript } from '../../../shared/training/analysis/analyse-transcript.ts';
import { toNewCallItem } from '../../../shared/training/aws/call-item.ts';
import { trainingKey } from '../../../shared/training/aws/training-table.ts';
import { CALL_SECONDS, READY_CALL, RECORDING_KEY, TRANSCRIPT } from './demo-call.ts';
import { ARCHIVED_CASE, DEMO_CASE, demoPersonas, GERMAN_CASE } from './demo-cases.ts';
import { PEOPLE } from './people.ts';
import { putRecords } from './put-records.ts';

const { orgId } = READY_CALL;
const CONVERSATION = 'conv_demo_ready';

/** Writes cases, personas, and a finished call of member A with its transcript, analysis and score. */
export async function seedTraining(issuerUrl: string, nowMs: number): Promise<void> {
  const createdAtMs = nowMs - 26 * 3600_000;
  const createdAt = new Date(createdAtMs).toISOString();
  const personas = demoPersonas(createdAt);
  const cases = [DEMO_CASE, GERMAN_CASE, ARCHIVED_CASE];
  await putRecords('trainingTable', [
    ...cases.map((item) => ({ ...trainingKey.trainingCase(orgId, item.id), ...item, createdAt })),
    ...personas.map((item) => ({ ...trainingKey.persona(orgId, item.id), ...item })),
    readyCall(deriveUserId(issuerUrl, PEOPLE.memberA.subject), personas[0], createdAtMs),
    { ...trainingKey.conversation(CONVERSATION), ...READY_CALL },
  ]);
}

/** Creates the item of a call that was analysed and is not due any more. */
function readyCall(userId: string, persona: ReturnType<typeof demoPersonas>[0], createdAtMs: number) {
  const session = { trainingCase: DEMO_CASE, persona, userId, conversationId: CONVERSATION, createdAtMs, dueAtMs: 0 };
  const { dueShard, dueAt, ...pending } = toNewCallItem({ ...READY_CALL, ...session });
  const transcript = { turns: TRANSCRIPT, durationSeconds: CALL_SECONDS, interruptions: 0 };
  const { analysis, score } = analyseTranscript({ trainingCase: DEMO_CASE, ...transcript });
  return {
    ...pending,
    ...trainingKey.call(READY_CALL),
    status: 'ready',
    durationSeconds: CALL_SECONDS,
    recordingKey: RECORDING_KEY,
    updatedAt: new Date(createdAtMs + 1_000 * CALL_SECONDS).toISOString(),
    transcript: JSON.stringify(TRANSCRIPT),
    analysis: JSON.stringify(analysis),
    score: JSON.stringify(score),
    interruptions: transcript.interruptions,
    hasAudio: true,
  };
}
