import type { Readable } from 'node:stream';
import type { Logger } from '../platform/logger.ts';
import type { LlmVerdict } from './analysis/llm-verdict.ts';
import type { Sentence } from './analysis/sentences.ts';
import type { Analysis, CallIds, CallStatus, Score, TrainingCall, TranscriptTurn } from './call.ts';
import type { NewPersona, Persona } from './persona.ts';
import type { TrainingCase } from './training-case.ts';

export type CaseRepository = {
  /** Resolves after the case is stored durably. @throws UnavailableError */
  add(orgId: string, trainingCase: TrainingCase): Promise<void>;
};

export type CaseAndPersona = { trainingCase: TrainingCase; persona: Persona };

export type CaseAndPersonaReader = {
  /**
   * Reads case and persona in one strongly consistent request. `trainingCase` or `persona` is undefined if the
   * organization does not have it.
   *
   * @throws UnavailableError, or HttpError 503 if the table does not process the whole request
   */
  find(
    orgId: string,
    ids: { caseId: string; personaId: string },
  ): Promise<{ [Part in keyof CaseAndPersona]: CaseAndPersona[Part] | undefined }>;
};

export type NewCall = CallIds &
  CaseAndPersona & { userId: string; conversationId: string; createdAtMs: number; dueAtMs: number };

export type CallCreator = {
  /**
   * `added`: the call is durable and can be found by its conversation. `conversation_taken`: nothing was written,
   * because this process has recently used the conversation id for another call. Does not detect a call that another
   * process wrote with the same id. In that case, the look-up item leads to the new call.
   *
   * @throws UnavailableError, or HttpError 503 if the table does not accept all items. In that case, the call may be
   *   stored without its look-up item, and the sweeper processes it.
   */
  add(call: NewCall): Promise<'added' | 'conversation_taken'>;
};

/**
 * A transcript as the call's item stores it. `json`: the text. `compressed`: the compressed bytes, which stay in the
 * item until the analysis moves them to the bucket. `key`: the key of the compressed transcript in the bucket.
 */
export type StoredTranscript = { json: string } | { compressed: Uint8Array } | { key: string };

export type StoredConversation = {
  transcript: StoredTranscript;
  durationSeconds: number | null;
  interruptions: number | null;
  hasAudio: boolean | null;
};

/** The part of a call that its status transitions need. */
export type CallRecord = CallIds & {
  status: CallStatus;
  conversationId: string;
  createdAtMs: number;
  caseSnapshot: TrainingCase;
  /** Undefined until an ended conversation is stored. */
  conversation: StoredConversation | undefined;
  recordingKey: string | null;
  /** When the sweeper processes the call. Undefined when there is nothing left to do. */
  dueAtMs: number | undefined;
  /** Number of attempts that the sweeper has begun in the current status. `reschedule` counts an attempt as it begins. */
  sweeperAttempts: number;
};

export type CallResult = {
  analysis: Analysis;
  score: Score;
  recordingKey: string | null;
  /**
   * Key of the transcript in the bucket if the analysis has moved it there. Undefined when the transcript was not
   * moved.
   */
  transcriptKey?: string | undefined;
  /** When to retry storing the recording. Undefined when there is nothing left to do. */
  dueAtMs: number | undefined;
};

/**
 * `conflict`: a condition of the write is not met, for example because the call has another status. Nothing was
 * written.
 */
export type TransitionOutcome = 'applied' | 'conflict';

/**
 * Calls and their status transitions. Each transition is one conditional write, so that only one of several concurrent
 * attempts applies it. All methods throw UnavailableError while the table is unavailable.
 */
export type CallRepository = {
  /** Returns the ids of the call that a conversation belongs to, and the agent with which its session was opened. */
  findIdsByConversation(conversationId: string): Promise<(CallIds & { agentId?: string | undefined }) | undefined>;
  /** Strongly consistent. */
  find(ids: CallIds): Promise<CallRecord | undefined>;
  /** pending | abandoned → processing. Stores the conversation. */
  moveToProcessing(ids: CallIds, conversation: StoredConversation, dueAtMs: number): Promise<TransitionOutcome>;
  /** pending → failed: the call could not start, or failed before the trainee said anything. */
  failPending(ids: CallIds, reason: string): Promise<TransitionOutcome>;
  /** processing → ready. Puts the call into the outbox (ADR 0028). */
  moveToReady(ids: CallIds, result: CallResult): Promise<TransitionOutcome>;
  /** processing → failed. */
  failProcessing(ids: CallIds, reason: string): Promise<TransitionOutcome>;
  /** pending → abandoned. */
  abandon(ids: CallIds): Promise<TransitionOutcome>;
  /**
   * Keeps the status and sets another due time. Counts an attempt, or stores `sweeperAttempts` if it is given. Returns
   * `conflict` when the call has no due time, or was rescheduled or changed its status after `seen` was read.
   */
  reschedule(seen: CallRecord, dueAtMs: number, sweeperAttempts?: number): Promise<TransitionOutcome>;
  /** Sets a later due time without reading the item, which may be damaged. Keeps the status and the attempts. */
  forceReschedule(ids: CallIds, dueAtMs: number): Promise<TransitionOutcome>;
  /**
   * Stores the key of the recording and ends the work on a `ready` call. `key` is null when no recording will be
   * stored.
   */
  endRecordingWork(ids: CallIds, key: string | null): Promise<TransitionOutcome>;
  /** At most `limit` due calls, sorted by due time. Eventually consistent. */
  findDue(nowMs: number, limit: number): Promise<CallIds[]>;
};

/** A call with the stored form of its transcript in place of the turns. */
export type CallWithStoredTranscript = Omit<TrainingCall, 'transcript'> & {
  storedTranscript: StoredTranscript | undefined;
};

export type CallReader = {
  /** Strongly consistent. @throws UnavailableError */
  find(ids: CallIds): Promise<CallWithStoredTranscript | undefined>;
};

/** The result of a call. It does not change any more. Times are ISO 8601 UTC with milliseconds. */
export type ScoredCall = Pick<TrainingCall, 'userId' | 'caseId' | 'personaId' | 'durationSeconds' | 'createdAt'> & {
  score: Score;
  scoredAt: string;
};

/** The scored calls that were not dispatched yet (ADR 0028). */
export type CallOutbox = {
  /** Lists at most `limit` calls whose dispatch is due, oldest first. Eventually consistent. */
  listDue(nowMs: number, limit: number): Promise<{ due: (CallIds & { dueAt: string })[]; isLast: boolean }>;
  /**
   * Strongly consistent. Returns undefined if the call does not exist, is not scored yet, or was scored by a release
   * without the outbox.
   */
  read(ids: CallIds): Promise<{ state: ScoredCall; isInOutbox: boolean } | undefined>;
  /** Removes a call from the outbox. Returns false and writes nothing if the call is not in the outbox. */
  clear(ids: CallIds): Promise<boolean>;
};

export type TranscriptStore = {
  /** @throws UnavailableError */
  put(key: string, compressed: Uint8Array): Promise<void>;
  /**
   * Returns undefined when the object does not exist.
   *
   * @throws UnavailableError, or Error for an object of more than `COMPRESSED_BYTES_MAX` bytes
   */
  get(key: string): Promise<Uint8Array | undefined>;
};

type RecordingContent = { content: Readable; bytes: number; contentType: string };

export type RecordingStore = {
  put(key: string, recording: RecordingContent, signal: AbortSignal): Promise<void>;
};

export type CallObjectStore = {
  count(prefix: string): Promise<number>;
  /** @returns the number of deleted objects */
  deleteAll(prefix: string): Promise<number>;
};

/**
 * Invokes the function `analyse-call` asynchronously. If the invocation fails, the sweeper repeats it later.
 *
 * @param requestId id of the request that caused the invocation, for the log lines of the analysis
 */
export type ProcessCallInvoker = (ids: CallIds, requestId?: string) => Promise<void>;

/**
 * A session that was opened at the provider. The trainee's browser connects to `signedUrl`, which is valid for one
 * connection.
 */
export type VoiceSession = { signedUrl: string; conversationId: string };

/** A conversation that has ended, from a webhook or read from the provider. */
export type EndedConversation = {
  conversationId: string;
  turns: TranscriptTurn[];
  durationSeconds: number | null;
  /** How often the trainee interrupted the agent. Null when the provider does not report it. */
  interruptions: number | null;
  /** Whether there is a recording to fetch. Null when the provider does not report it. */
  hasAudio: boolean | null;
};

/** What a webhook of the voice provider reports about a conversation. */
export type ConversationEvent =
  | { kind: 'ended'; agentId: string | undefined; conversation: EndedConversation }
  | { kind: 'failed'; agentId: string | undefined; conversationId: string; reason: string }
  | { kind: 'ignored'; metric: string };

/** `unknown`: the provider has no such conversation, for example because the trainee never connected. */
export type ConversationState =
  | { state: 'in-progress' | 'unknown' }
  | { state: 'ended'; conversation: EndedConversation }
  | { state: 'failed'; reason: string };

export type Recording = { content: Readable; contentType: string };

/** The service that runs voice agents. All methods throw VoiceProviderError when they fail. */
export type VoiceProvider = {
  openVoiceSession(agentId: string): Promise<VoiceSession>;
  readConversation(conversationId: string): Promise<ConversationState>;
  /** Returns undefined while there is no recording. `content` can also fail with VoiceProviderError. */
  fetchRecording(conversationId: string): Promise<Recording | undefined>;
  /** Deletes everything that the provider stores for a conversation, including the recording. */
  deleteConversation(conversationId: string): Promise<'deleted' | 'unknown'>;
  /** @returns the agent's id */
  createAgent(persona: NewPersona): Promise<string>;
};

/**
 * Records the erasure of a call. Contains nothing that was said, and is kept until no function can write for the call
 * any more.
 */
export type CallErasureRecord = CallIds & {
  conversationId: string | undefined;
  /** Whether the call is erased. Even then, a function that runs concurrently may still write objects of the call. */
  cleared: boolean;
  /** When the retention run processes the erasure again. */
  dueAtMs: number;
};

/** The part of a call that its erasure needs. It can also be read from a damaged item. */
type ErasableCall = { isInProgress: boolean; conversationId: string | undefined };

export type CallErasureRepository = {
  /** Strongly consistent. */
  findCall(ids: CallIds): Promise<ErasableCall | undefined>;
  find(ids: CallIds): Promise<CallErasureRecord | undefined>;
  put(erasure: CallErasureRecord): Promise<void>;
  delete(ids: CallIds): Promise<void>;
  /** Returns false if the call is in progress. Otherwise deletes the call's item, if there is one, and returns true. */
  deleteCall(ids: CallIds): Promise<boolean>;
  /** Deletes the look-up item of this conversation, unless the item leads to another call. */
  deleteConversationLookup(conversationId: string, ids: CallIds): Promise<void>;
  /** At most `limit` due erasures, sorted by due time. Eventually consistent. */
  findDue(nowMs: number, limit: number): Promise<CallIds[]>;
};

/** The part of a call that retention needs. It can also be read from a damaged item. */
export type RetainedCall = CallIds & {
  conversationId: string | undefined;
  isInProgress: boolean;
  hasRecording: boolean;
  isRecordingErased: boolean;
  /** Whether the sweeper still has work for the call, for example to fetch its recording. */
  isDue: boolean;
  /** Undefined when the item has no valid time. */
  updatedAtMs: number | undefined;
};

export type CallRetentionRepository = {
  /**
   * Lists calls that were created at `createdAtMs` or earlier, in pages, by id. The service creates UUIDs
   * v7, so the oldest call is first. Eventually consistent.
   *
   * @param after id of a call; the list starts after this call
   */
  listCreatedBefore(orgId: string, createdAtMs: number, after?: string): AsyncIterable<RetainedCall[]>;
  /**
   * Returns the recording cursor, or undefined if none is stored yet. The cursor is the id of a call. The recordings of
   * this call and of all older calls are erased.
   */
  readRecordingCursor(orgId: string): Promise<string | undefined>;
  /** Never moves the cursor back. */
  saveRecordingCursor(orgId: string, callId: string): Promise<void>;
  /**
   * Records that the recording of a call is erased. Returns false and writes nothing when the call is in progress or
   * due, has changed since it was read, or does not exist any more.
   */
  markRecordingErased(call: RetainedCall): Promise<boolean>;
};

export type LlmJudgeInput = CallIds & {
  trainingCase: TrainingCase;
  /** The sentences that the verdict may cite: `SplitTranscript.citable` of the call. */
  sentences: readonly Sentence[];
  log: Logger;
};

/**
 * Returns undefined if no model is configured, the trainee said nothing, the token budget is used up, no response can
 * be read, or an error occurs.
 */
export type LlmJudge = (input: LlmJudgeInput) => Promise<LlmVerdict | undefined>;
