import type { Analysis, CallIds, CallStatus, Score } from './call.ts';
import type { TrainingCase } from './training-case.ts';

/**
 * Where a transcript lies: in the call's item, as JSON or, a large one until it is analysed, compressed; or compressed in
 * the bucket.
 */
export type StoredTranscript = { json: string } | { packed: Uint8Array } | { key: string };

/** What is kept of a conversation when it is over. */
export type StoredConversation = {
  transcript: StoredTranscript;
  durationSeconds: number | null;
  interruptions: number | null;
  hasAudio: boolean | null;
};

/** What comes of a conversation. */
export type CallResult = {
  analysis: Analysis;
  score: Score;
  recordingKey: string | null;
  /** Where the transcript lies in the bucket from now on; undefined: it stays where it is. */
  transcriptKey?: string | undefined;
  /** When to look for a recording that was not there yet; undefined: nothing is left to do. */
  dueAtMs: number | undefined;
};

/** A call as those who move it on see it. */
export type CallRecord = CallIds & {
  status: CallStatus;
  conversationId: string;
  createdAtMs: number;
  caseSnapshot: TrainingCase;
  /** Undefined before it is over. */
  conversation: StoredConversation | undefined;
  recordingKey: string | null;
  /** When the sweeper looks at it; undefined: nothing is left to do. */
  dueAtMs: number | undefined;
  /** How often it has been put to work, in its present status. */
  attempts: number;
};

/** `applied`, or `stale`: the call is no longer in the state that the change starts from, and nothing was written. */
export type TransitionOutcome = 'applied' | 'stale';

/** A call's way through its life. Each change is one conditional write: it happens once, whoever else is at it. */
export type CallRepository = {
  /** The call of a conversation of the provider's, and the agent that it was opened with. */
  findIdsByConversation(conversationId: string): Promise<(CallIds & { agentId?: string | undefined }) | undefined>;
  /** Strongly consistent. */
  find(ids: CallIds): Promise<CallRecord | undefined>;
  /** pending | abandoned → processing, with the conversation; due then. */
  startProcessing(ids: CallIds, conversation: StoredConversation, dueAtMs: number): Promise<TransitionOutcome>;
  /** pending → failed: the provider could not start the call. */
  failToStart(ids: CallIds, reason: string): Promise<TransitionOutcome>;
  /** processing → ready. */
  complete(ids: CallIds, result: CallResult): Promise<TransitionOutcome>;
  /** processing → failed. */
  fail(ids: CallIds, reason: string): Promise<TransitionOutcome>;
  /** pending → abandoned. */
  abandon(ids: CallIds): Promise<TransitionOutcome>;
  /**
   * The same status; due later, counted as an attempt unless `attempts` says else. `stale` when somebody else took it up
   * since `seen` was read.
   */
  reschedule(seen: CallRecord, dueAtMs: number, attempts?: number): Promise<TransitionOutcome>;
  /** Due later, whatever else its record holds: for one that can't be read. */
  forceReschedule(ids: CallIds, dueAtMs: number): Promise<TransitionOutcome>;
  /** ready, with its recording from now on; `key` null: it never came. Nothing is left to do then. */
  completeRecording(ids: CallIds, key: string | null): Promise<TransitionOutcome>;
  /** At most so many that are due, the longest first; eventually consistent. */
  findDue(nowMs: number, most: number): Promise<CallIds[]>;
};

/**
 * Starts the analysis of a call behind the caller's back. May fail: the sweeper starts it again.
 *
 * @param requestId of whoever asks for it: it goes on every line of the analysis
 */
export type InvokeProcessCall = (ids: CallIds, requestId?: string) => Promise<void>;
