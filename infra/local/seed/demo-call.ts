import type { CallIds, TranscriptTurn } from '../../../shared/training/call.ts';
import { recordingKey } from '../../../shared/training/object-keys.ts';
import { DEMO_IDS } from './demo-ids.ts';

export const READY_CALL: CallIds = { orgId: DEMO_IDS.organizationA, callId: DEMO_IDS.readyCall };
export const RECORDING_KEY = recordingKey(READY_CALL, 'mp3');
export const CALL_SECONDS = 71;

/** A short call. The agent plays the customer, and the user is the trainee. */
export const TRANSCRIPT: TranscriptTurn[] = [
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
];
