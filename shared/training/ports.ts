import type { Readable } from 'node:stream';
import type { Analysis, CallIds, CallStatus, Score, TrainingCall, TranscriptTurn } from './call.ts';
import type { NewPersona, Persona } from './persona.ts';
import type { TrainingCase } from './training-case.ts';

export type CaseRepository = {
  /** Durable once it resolves. @throws UnavailableError */
  add(orgId: string, trainingCase: TrainingCase): Promise<void>;
};

/** What a session is about. */
export type CaseAndPersona = { trainingCase: TrainingCase; persona: Persona };

export type CaseAndPersonaReader = {
  /** One strongly consistent read. What the organization does not have is undefined. @throws UnavailableError */
  find(
    orgId: string,
    ids: { caseId: string; personaId: string },
  ): Promise<{ [Part in keyof CaseAndPersona]: CaseAndPersona[Part] | undefined }>;
};

export type NewCall = CallIds &
  CaseAndPersona & { userId: string; conversationId: string; createdAtMs: number; dueAtMs: number };

export type CallCreator = {
  /**
   * After `added`, the call is durable and can be found by its conversation. `conversation_taken`: the provider returned
   * this conversation id before, and nothing was written.
   *
   * @throws UnavailableError; it can leave a call that cannot be found by its conversation, for the sweeper
   */
  add(call: NewCall): Promise<'added' | 'conversation_taken'>;
};

/**
 * Where a transcript is stored: in the call's item as JSON, in the call's item compressed (a large one until its analysis
 * has ended), or compressed in the bucket.
 */
export type StoredTranscript = { json: string } | { compressed: Uint8Array } | { key: string };

export type StoredConversation = {
  transcript: StoredTranscript;
  durationSeconds: number | null;
  interruptions: number | null;
  hasAudio: boolean | null;
};

/** A call as the operations that change its status need it. */
export type CallRecord = CallIds & {
  status: CallStatus;
  conversationId: string;
  createdAtMs: number;
  caseSnapshot: TrainingCase;
  /** Undefined before the conversation has ended. */
  conversation: StoredConversation | undefined;
  recordingKey: string | null;
  /** When the sweeper processes the call. Undefined when there is nothing left to do. */
  dueAtMs: number | undefined;
  /** Attempts of the sweeper in the present status. */
  sweeperAttempts: number;
};

/** The result of an analysis. */
export type CallResult = {
  analysis: Analysis;
  score: Score;
  recordingKey: string | null;
  /** Where the transcript is in the bucket from now on. Undefined when it stays in the call's item. */
  transcriptKey?: string | undefined;
  /** When to try to fetch a recording that did not exist yet. Undefined when there is nothing left to do. */
  dueAtMs: number | undefined;
};

/** `stale`: the call is not in a status that the transition starts from, and nothing was written. */
export type TransitionOutcome = 'applied' | 'stale';

/**
 * Calls and their status transitions. Each transition is one conditional write, so that concurrent attempts apply it once.
 * All methods throw UnavailableError while the table is unavailable.
 */
export type CallRepository = {
  /** The call of a conversation, with the agent that the session was opened with. */
  findIdsByConversation(conversationId: string): Promise<(CallIds & { agentId?: string | undefined }) | undefined>;
  /** Strongly consistent. */
  find(ids: CallIds): Promise<CallRecord | undefined>;
  /** pending | abandoned → processing. Stores the conversation. */
  startProcessing(ids: CallIds, conversation: StoredConversation, dueAtMs: number): Promise<TransitionOutcome>;
  /** pending → failed: the call could not start, or failed before the trainee said anything. */
  failToStart(ids: CallIds, reason: string): Promise<TransitionOutcome>;
  /** processing → ready. */
  complete(ids: CallIds, result: CallResult): Promise<TransitionOutcome>;
  /** processing → failed. */
  fail(ids: CallIds, reason: string): Promise<TransitionOutcome>;
  /** pending → abandoned. */
  abandon(ids: CallIds): Promise<TransitionOutcome>;
  /**
   * Keeps the status and sets a later due time. Counts an attempt unless `sweeperAttempts` is given. `stale` when the call was
   * rescheduled since `seen` was read.
   */
  reschedule(seen: CallRecord, dueAtMs: number, sweeperAttempts?: number): Promise<TransitionOutcome>;
  /** Sets a later due time without reading the record, which may be damaged. */
  forceReschedule(ids: CallIds, dueAtMs: number): Promise<TransitionOutcome>;
  /** Keeps the status `ready` and ends the work on the call. `key` null: no recording will be stored. */
  completeRecording(ids: CallIds, key: string | null): Promise<TransitionOutcome>;
  /** At most `limit` calls that are due, the longest overdue first. Eventually consistent. */
  findDue(nowMs: number, limit: number): Promise<CallIds[]>;
};

/** A call with the location of its transcript in place of the transcript. */
export type CallWithStoredTranscript = Omit<TrainingCall, 'transcript'> & {
  storedTranscript: StoredTranscript | undefined;
};

export type CallReader = {
  /** Strongly consistent. @throws UnavailableError */
  find(ids: CallIds): Promise<CallWithStoredTranscript | undefined>;
};

export type TranscriptStore = {
  /** @throws UnavailableError */
  put(key: string, compressed: Uint8Array): Promise<void>;
  /** Undefined when there is no object. @throws UnavailableError, or Error above `COMPRESSED_BYTES_MAX` bytes */
  get(key: string): Promise<Uint8Array | undefined>;
};

type RecordingContent = { content: Readable; bytes: number; contentType: string };

export type RecordingStore = {
  put(key: string, recording: RecordingContent, signal: AbortSignal): Promise<void>;
};

/** All objects of calls: transcripts and recordings. */
export type CallObjectStore = {
  count(prefix: string): Promise<number>;
  /** @returns the number of deleted objects */
  deleteAll(prefix: string): Promise<number>;
};

/**
 * Invokes the function `analyse-call` asynchronously. When that fails, the sweeper invokes it later.
 *
 * @param requestId the request that caused it, for the log lines of the analysis
 */
export type InvokeProcessCall = (ids: CallIds, requestId?: string) => Promise<void>;

/** What a trainee's browser connects with. The URL is valid for one connection. */
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

/** What a webhook of the voice provider reports. */
export type VoiceEvent =
  | { kind: 'ended'; agentId: string | undefined; conversation: EndedConversation }
  | { kind: 'failed'; agentId: string | undefined; conversationId: string; reason: string }
  | { kind: 'ignored'; metric: string };

/** `unknown`: the provider has no such conversation, for example because the trainee never connected. */
export type ConversationState =
  | { state: 'in-progress' | 'unknown' }
  | { state: 'ended'; conversation: EndedConversation }
  | { state: 'failed'; reason: string };

export type Recording = { content: Readable; contentType: string };

/** The service that runs voice agents. All methods throw VoiceProviderError. */
export type VoiceProvider = {
  openSession(agentId: string): Promise<VoiceSession>;
  readConversation(conversationId: string): Promise<ConversationState>;
  /** Undefined while there is no recording. Its stream can fail with VoiceProviderError, too. */
  fetchRecording(conversationId: string): Promise<Recording | undefined>;
  /** Deletes everything that the provider stores of a conversation, including the recording. */
  deleteConversation(conversationId: string): Promise<'deleted' | 'unknown'>;
  /** Creates the agent of a persona. @returns the agent's id */
  createAgent(persona: NewPersona): Promise<string>;
};

/** The record that a call is being erased. It holds ids alone, and stays until late writes of the call are impossible. */
export type CallErasureRecord = CallIds & {
  conversationId: string | undefined;
  /** Everything is erased, except what a concurrent function may still write. */
  cleared: boolean;
  /** When the retention run processes it again. */
  dueAtMs: number;
};

/** The part of a call that its erasure needs. It can be read from damaged items, too. */
type ErasableCall = { isInProgress: boolean; conversationId: string | undefined };

export type CallErasureRepository = {
  /** Strongly consistent. */
  findCall(ids: CallIds): Promise<ErasableCall | undefined>;
  find(ids: CallIds): Promise<CallErasureRecord | undefined>;
  /** Creates or replaces the record. */
  put(erasure: CallErasureRecord): Promise<void>;
  delete(ids: CallIds): Promise<void>;
  /** Deletes the call's item. False when the call is in progress; true when there is no item. */
  deleteCall(ids: CallIds): Promise<boolean>;
  /** Deletes the record that leads from a conversation to its call, if it leads to this call. */
  deleteConversationLookup(conversationId: string, ids: CallIds): Promise<void>;
  /** At most `limit` erasures that are due, the longest overdue first. Eventually consistent. */
  findDue(nowMs: number, limit: number): Promise<CallIds[]>;
};

/** The part of a call that retention needs. It can be read from damaged items, too. */
export type RetainedCall = CallIds & {
  conversationId: string | undefined;
  isInProgress: boolean;
  hasRecording: boolean;
  isRecordingErased: boolean;
  /** The sweeper still has work for the call: its recording may come. */
  isDue: boolean;
  /** Undefined when the item has no valid time. */
  updatedAtMs: number | undefined;
};

export type CallRetentionRepository = {
  /** Pages of calls created up to that time, oldest first; eventually consistent. @param after continue after this call */
  listCreatedBefore(orgId: string, createdAtMs: number, after?: string): AsyncIterable<RetainedCall[]>;
  /** The last call up to which all expired recordings are erased. */
  readRecordingCursor(orgId: string): Promise<string | undefined>;
  /** Never moves the cursor back. */
  saveRecordingCursor(orgId: string, callId: string): Promise<void>;
  /** Records that the call has no recording any more. False when the call has changed: nothing is written. */
  markRecordingErased(call: RetainedCall): Promise<boolean>;
};
