import type { Analysis, CallIds, CallStatus, Score } from '../call.ts';
import type { TrainingCase } from '../training-case.ts';

/**
 * Where a transcript lies: in the call's item, as JSON or, a large one until it is analysed, compressed; or compressed in
 * the bucket.
 */
export type StoredTranscript = { json: string } | { packed: Uint8Array } | { key: string };

/** What is kept of a conversation when it is over. */
export type KeptConversation = {
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
export type CallWork = CallIds & {
  status: CallStatus;
  conversationId: string;
  createdAtMs: number;
  caseSnapshot: TrainingCase;
  /** Undefined before it is over. */
  conversation: KeptConversation | undefined;
  recordingKey: string | null;
  /** When the sweeper looks at it; undefined: nothing is left to do. */
  dueAtMs: number | undefined;
  /** How often it has been put to work, in its present status. */
  attempts: number;
};

/** `applied`, or `stale`: the call is no longer in the state that the change starts from, and nothing was written. */
export type Changed = 'applied' | 'stale';

/** A call's way through its life. Each change is one conditional write: it happens once, whoever else is at it. */
export type CallChanges = {
  /** The call of a conversation of the provider's, and the agent that it was opened with. */
  idsOf(conversationId: string): Promise<(CallIds & { agentId?: string | undefined }) | undefined>;
  /** Strongly consistent. */
  find(ids: CallIds): Promise<CallWork | undefined>;
  /** pending | abandoned → processing, with the conversation; due then. */
  begin(ids: CallIds, conversation: KeptConversation, dueAtMs: number): Promise<Changed>;
  /** pending → failed: the provider could not start the call. */
  refuse(ids: CallIds, reason: string): Promise<Changed>;
  /** processing → ready. */
  complete(ids: CallIds, result: CallResult): Promise<Changed>;
  /** processing → failed. */
  fail(ids: CallIds, reason: string): Promise<Changed>;
  /** pending → abandoned. */
  abandon(ids: CallIds): Promise<Changed>;
  /**
   * The same status; due later, counted as an attempt unless `attempts` says else. `stale` when somebody else took it up
   * since `seen` was read.
   */
  postpone(seen: CallWork, dueAtMs: number, attempts?: number): Promise<Changed>;
  /** Due later, whatever else its record holds: for one that can't be read. */
  putOff(ids: CallIds, dueAtMs: number): Promise<Changed>;
  /** ready, with its recording from now on; `key` null: it never came. Nothing is left to do then. */
  settleRecording(ids: CallIds, key: string | null): Promise<Changed>;
  /** At most so many that are due, the longest first; eventually consistent. */
  due(nowMs: number, most: number): Promise<CallIds[]>;
};

/**
 * Starts the analysis of a call behind the caller's back. May fail: the sweeper starts it again.
 *
 * @param requestId of whoever asks for it: it goes on every line of the analysis
 */
export type StartAnalysis = (ids: CallIds, requestId?: string) => Promise<void>;
