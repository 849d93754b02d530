import type { CallIds } from './call.ts';

/** What must be known of a call to tell whether it, or its recording alone, is too old to be kept. */
export type RetainedCall = CallIds & {
  conversationId: string | undefined;
  isInProgress: boolean;
  hasRecording: boolean;
  /** Its recording was erased for good. */
  isRecordingErased: boolean;
  /** Something is still to be done for it: its recording may come. */
  isDue: boolean;
  /** Of its last change; undefined where its record does not tell. */
  updatedAtMs: number | undefined;
};

/** An organization's calls by the time of their creation. */
export type CallRetentionRepository = {
  /** Those created up to then, the oldest first, some at a time; eventually consistent. @param after goes on after this call */
  listCreatedBefore(orgId: string, createdAtMs: number, after?: string): AsyncIterable<RetainedCall[]>;
  /** Up to which call nothing is left to do for recordings; undefined: for none. */
  readRecordingCursor(orgId: string): Promise<string | undefined>;
  /** Never goes back. */
  saveRecordingCursor(orgId: string, callId: string): Promise<void>;
  /** Notes that there is no recording any more. False when the call is not as it was: nothing is written. */
  markRecordingErased(call: RetainedCall): Promise<boolean>;
};
