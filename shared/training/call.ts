import * as z from 'zod/mini';
import { withDocs } from '../http/schema-docs.ts';
import { TrainingCase } from './training-case.ts';

/**
 * All transitions of the status of a call (see `CallRepository`):
 * - pending → processing → ready | failed
 * - pending → failed when the call could not start, or failed before the trainee said anything
 * - pending → abandoned when the sweeper finds no ended conversation in time (`call-schedule.ts`)
 * - abandoned → processing when the conversation arrives late
 */
export const CallStatus = withDocs(z.enum(['pending', 'processing', 'ready', 'failed', 'abandoned']), {
  id: 'CallStatus',
});
export type CallStatus = z.infer<typeof CallStatus>;

/** One uninterrupted contribution. `user` is the trainee, `agent` the simulated customer. */
export const TranscriptTurn = withDocs(
  z.object({
    role: z.enum(['user', 'agent']),
    message: z.string(),
    /** Seconds from the start of the call to the start of the turn. */
    timeInCallSecs: z.number(),
  }),
  { id: 'TranscriptTurn' },
);
export type TranscriptTurn = z.infer<typeof TranscriptTurn>;

/** A verbatim quote from the transcript, and the time at which the quoted turn started. */
export const Evidence = withDocs(z.object({ quote: z.string(), timeInCallSecs: z.number() }), { id: 'Evidence' });
export type Evidence = z.infer<typeof Evidence>;

export const CallMetrics = withDocs(
  z.object({
    talkRatio: z.number(),
    longestMonologueSecs: z.number(),
    questionsAsked: z.number(),
    turns: z.number(),
    wordsPerMinute: z.number(),
    /** Null when the provider does not report interruptions. */
    interruptions: z.nullable(z.number()),
    fillerWords: z.number(),
  }),
  { id: 'CallMetrics' },
);
export type CallMetrics = z.infer<typeof CallMetrics>;

export const Analysis = withDocs(
  z.object({
    summary: z.string(),
    /** ISO 639-1, or `und` when it can't be detected. */
    language: z.string(),
    /**
     * `covered`: with `judgedBy: 'rules'`, the trainee mentioned the do; with `'model'`, a quote proves that the
     * trainee did it. `evidence` also shows mentions, even if `covered` is false.
     */
    dos: z.array(z.object({ id: z.string(), label: z.string(), covered: z.boolean(), evidence: z.array(Evidence) })),
    /** `met` is null when no language model judged the call. */
    successCriteria: z.object({ met: z.nullable(z.boolean()), evidence: z.array(Evidence) }),
    metrics: CallMetrics,
    judgedBy: z.enum(['rules', 'model']),
  }),
  { id: 'CallAnalysis' },
);
export type Analysis = z.infer<typeof Analysis>;

export const Score = withDocs(
  z.object({
    /** 0 to 100. */
    total: z.number(),
    criteria: z.array(
      z.object({ id: z.string(), label: z.string(), score: z.number(), max: z.number(), reason: z.string() }),
    ),
  }),
  { id: 'CallScore' },
);
export type Score = z.infer<typeof Score>;

/**
 * A call as the API returns it. Times are ISO 8601 UTC with milliseconds. The schema allows null and missing properties
 * in some places where this service never returns them.
 */
export const TrainingCall = withDocs(
  z.object({
    id: z.guid(),
    orgId: z.guid(),
    userId: z.guid(),
    caseId: z.string(),
    personaId: z.string(),
    /**
     * `conversationId`, `agentId` and `caseSnapshot` are never null in a response, because they are stored when the
     * session is opened.
     */
    conversationId: z.nullable(z.string()),
    agentId: z.nullable(z.string()),
    status: CallStatus,
    /** Null until the conversation is stored, and afterwards if the provider does not report the duration. */
    durationSeconds: z.nullable(z.int()),
    /** Null before the recording is stored, after it was erased, and if the call has no recording. */
    recordingKey: z.nullable(z.string()),
    /** Null unless the status is `failed`. */
    failureReason: z.nullable(z.string()),
    createdAt: z.string(),
    updatedAt: z.string(),
    /** The case at the time when the session was opened. */
    caseSnapshot: z.nullable(TrainingCase),
    /** Never missing in a response. Null until the conversation is stored. */
    transcript: z.optional(z.nullable(z.array(TranscriptTurn))),
    /** `analysis` and `score` are never missing in a response, and null until the call is `ready`. */
    analysis: z.optional(z.nullable(Analysis)),
    score: z.optional(z.nullable(Score)),
  }),
  { id: 'TrainingCall' },
);
export type TrainingCall = z.infer<typeof TrainingCall>;

export type CallIds = { orgId: string; callId: string };
