import { userIdOf } from '../../../shared/http/user-id.ts';
import type { TrainingCase } from '../../../shared/training/training-case.ts';
import { ANALYSIS, SCORE, TRANSCRIPT } from './demo-call.ts';
import { DEMO_IDS, demoId } from './demo-ids.ts';
import { PEOPLE } from './people.ts';
import { putRecords } from './plain-records.ts';

const ORGANIZATION = `org#${DEMO_IDS.organizationA}`;
const CONVERSATION = 'conv_demo_ready';

const DEMO_CASE: TrainingCase = {
  id: DEMO_IDS.trainingCase,
  name: 'The sceptical homeowner',
  description: 'A first call with someone who was disappointed by another company.',
  situation:
    'Alex asked for an offer online. A year ago another company cancelled the installation at the last moment.',
  objective: 'Understand what went wrong before, and agree on a visit to the house.',
  successCriteria: 'Alex has named the main worry and agreed to a date for the visit.',
  difficulty: 'medium',
  dos: [
    { id: 'ask-before-offering', label: 'Ask what happened before offering anything' },
    { id: 'name-next-step', label: 'Name the next step and a date' },
  ],
  archivedAt: null,
};

const ARCHIVED_CASE: TrainingCase = {
  ...DEMO_CASE,
  id: DEMO_IDS.archivedCase,
  name: 'The hurried tenant',
  archivedAt: '2026-01-15T09:00:00.000Z',
};

const PERSONAS = [
  { name: 'Alex Example', manner: 'Friendly but cautious; answers in short sentences and asks for proof.' },
  { name: 'Robin Sample', manner: 'Talks fast, interrupts, and wants a price within the first minute.' },
];

/** Writes cases, personas, and a finished call of member A with its transcript, analysis and score. */
export async function seedTraining(issuerUrl: string, nowMs: number): Promise<void> {
  const createdAt = new Date(nowMs - 26 * 3600_000).toISOString();
  const cases = [DEMO_CASE, ARCHIVED_CASE].map((item) => ({
    pk: ORGANIZATION,
    sk: `case#${item.id}`,
    ...item,
    createdAt,
  }));
  const personas = DEMO_IDS.personas.map((id, index) => ({
    pk: ORGANIZATION,
    sk: `persona#${id}`,
    id,
    ...PERSONAS[index],
    agentId: `agent_demo_${index + 1}`,
    createdAt,
  }));
  const call = readyCall(userIdOf(issuerUrl, PEOPLE.memberA.subject), createdAt);
  const conversation = {
    pk: `conversation#${CONVERSATION}`,
    sk: 'conversation',
    orgId: DEMO_IDS.organizationA,
    callId: DEMO_IDS.readyCall,
  };
  await putRecords('trainingTable', [...cases, ...personas, call, conversation]);
}

function readyCall(userId: string, createdAt: string) {
  return {
    pk: ORGANIZATION,
    sk: `call#${DEMO_IDS.readyCall}`,
    id: DEMO_IDS.readyCall,
    orgId: DEMO_IDS.organizationA,
    userId,
    caseId: DEMO_IDS.trainingCase,
    personaId: DEMO_IDS.personas[0],
    conversationId: CONVERSATION,
    agentId: 'agent_demo_1',
    status: 'ready',
    durationSeconds: 64,
    recordingKey: `${DEMO_IDS.organizationA}/recordings/${demoId('recording')}.mp3`,
    failureReason: null,
    createdAt,
    updatedAt: createdAt,
    caseSnapshot: DEMO_CASE,
    transcript: JSON.stringify(TRANSCRIPT),
    analysis: JSON.stringify(ANALYSIS),
    score: JSON.stringify(SCORE),
  };
}
