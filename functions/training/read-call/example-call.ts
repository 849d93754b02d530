import { docsOnly } from '../../../shared/http/schema-docs.ts';
import { CALL_ID, CASE_ID, ORGANIZATION_ID, PERSONA_ID } from '../../example-ids.ts';

/** The call of the demo that `npm start` creates, with the result that the analysis computes for it. */
export const EXAMPLE_CALL = docsOnly({
  id: CALL_ID,
  orgId: ORGANIZATION_ID,
  userId: '8f14e45f-ceea-5d67-8a1b-0c2d3e4f5a66',
  caseId: CASE_ID,
  personaId: PERSONA_ID,
  conversationId: 'conv_demo_ready',
  agentId: 'agent_demo_1',
  status: 'ready',
  durationSeconds: 71,
  recordingKey: 'recordings/6a3f42ee-e1dd-5bd4-82f4-71b813da2ce1/019bf000-0000-77cd-96c8-82ccae8a16e0.mp3',
  failureReason: null,
  createdAt: '2026-03-02T09:30:00.000Z',
  updatedAt: '2026-03-02T09:32:00.000Z',
  caseSnapshot: {
    id: CASE_ID,
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
  },
  transcript: [
    { role: 'agent', message: 'Hello, Alex here. You called about the solar panels?', timeInCallSecs: 0 },
    {
      role: 'user',
      message: 'Yes, thank you for your request. Before I suggest anything: what happened last time?',
      timeInCallSecs: 5,
    },
    {
      role: 'agent',
      message: 'They cancelled two days before the installation. I had already taken the week off.',
      timeInCallSecs: 13,
    },
    {
      role: 'user',
      message: 'That is annoying. What would you need from us so that it goes differently?',
      timeInCallSecs: 22,
    },
    {
      role: 'agent',
      message: 'A fixed date in writing. And someone who has actually seen my roof.',
      timeInCallSecs: 30,
    },
    {
      role: 'user',
      message:
        'Then the next step is a visit on Thursday at ten, and you get the date in writing today. Does that suit you?',
      timeInCallSecs: 39,
    },
    { role: 'agent', message: 'Thursday at ten is fine. Please send it by e-mail.', timeInCallSecs: 52 },
    {
      role: 'user',
      message:
        'You will have it within the hour, with my own number in it, so that you can call me at any time. ' +
        'See you on Thursday, and thank you for telling me all this!',
      timeInCallSecs: 58,
    },
  ],
  analysis: {
    summary:
      'The call took 1:11 minutes. The trainee spoke 59 % of the time and asked 3 questions. ' +
      '2 of 2 dos are mentioned. This result is provisional: no language model judged it. ' +
      'The score rates how the conversation was led. A mention does not show that a do was done, ' +
      'and it is open whether the success criteria were met.',
    language: 'en',
    dos: [
      {
        id: 'ask-before-offering',
        label: 'Ask what happened before offering anything',
        covered: true,
        evidence: [{ quote: 'Before I suggest anything: what happened last time?', timeInCallSecs: 5 }],
      },
      {
        id: 'name-next-step',
        label: 'Name the next step and a date',
        covered: true,
        evidence: [
          {
            quote: 'Then the next step is a visit on Thursday at ten, and you get the date in writing today.',
            timeInCallSecs: 39,
          },
        ],
      },
    ],
    successCriteria: { met: null, evidence: [] },
    metrics: {
      talkRatio: 0.59,
      longestMonologueSecs: 13,
      questionsAsked: 3,
      turns: 8,
      wordsPerMinute: 121,
      interruptions: 0,
      fillerWords: 0,
    },
    judgedBy: 'rules',
  },
  score: {
    total: 95,
    criteria: [
      {
        id: 'talkRatio',
        label: 'Listening',
        score: 30,
        max: 35,
        reason: 'The trainee spoke 59 % of the time. 31 to 55 % earn full points.',
      },
      {
        id: 'questionsAsked',
        label: 'Questions',
        score: 35,
        max: 35,
        reason: 'The trainee asked 3 questions. For the speaking time in this call, 3 or more earn full points.',
      },
      {
        id: 'longestMonologueSecs',
        label: 'Dialogue instead of monologue',
        score: 15,
        max: 15,
        reason:
          'The trainee spoke for at most 13 seconds without the customer. ' +
          'Up to 60 seconds earn full points, 180 or more earn none.',
      },
      {
        id: 'interruptions',
        label: 'Letting the customer finish',
        score: 15,
        max: 15,
        reason:
          'The trainee interrupted the customer 0 times. ' +
          'Full points are given up to 1 interruption, and none from 3 on.',
      },
    ],
  },
});
