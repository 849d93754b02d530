import type { CallIds, Turn } from '../../../shared/training/call.ts';
import { recordingKey } from '../../../shared/training/lifecycle/training-objects.ts';
import { DEMO_IDS } from './demo-ids.ts';

export const READY_CALL: CallIds = { orgId: DEMO_IDS.organizationA, callId: DEMO_IDS.readyCall };
export const RECORDING_KEY = recordingKey(READY_CALL, 'mp3');
export const CALL_SECONDS = 64;

/** A short rehearsed call. The agent plays the customer, the user is the trainee. */
export const TRANSCRIPT: Turn[] = [
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
  { role: 'agent', message: 'A fixed date in writing. And someone who has actually seen my roof.', timeInCallSecs: 30 },
  {
    role: 'user',
    message: 'Then I suggest a visit on Thursday at ten, and you get the date in writing today. Does that suit you?',
    timeInCallSecs: 39,
  },
  { role: 'agent', message: 'Thursday at ten is fine. Please send it by e-mail.', timeInCallSecs: 52 },
  { role: 'user', message: 'You will have it within the hour. See you on Thursday!', timeInCallSecs: 58 },
];

export const ANALYSIS = {
  summary:
    'The trainee asked about the earlier disappointment first, named a date for a visit and promised it in writing.',
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
      evidence: [{ quote: 'Then I suggest a visit on Thursday at ten', timeInCallSecs: 39 }],
    },
  ],
  successCriteria: { met: null, evidence: [] },
  metrics: {
    talkRatio: 0.55,
    longestMonologueSecs: 13,
    questionsAsked: 3,
    turns: 8,
    wordsPerMinute: 117,
    interruptions: null,
    fillerWords: 0,
  },
  judgedBy: 'rules',
};

export const SCORE = {
  total: 86,
  criteria: [
    { id: 'dos', label: 'What the case asks for', score: 50, max: 50, reason: 'Both points were covered.' },
    { id: 'listening', label: 'Listening', score: 21, max: 30, reason: 'The trainee spoke 55 % of the time.' },
    { id: 'questions', label: 'Questions', score: 15, max: 20, reason: 'Three questions in eight turns.' },
  ],
};
