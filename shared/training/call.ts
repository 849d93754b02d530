import * as z from 'zod/mini';
import { withDocs } from '../http/schema-docs.ts';
import { TrainingCase } from './training-case.ts';

/**
 * Where a call stands (decisions 9): pending → processing → ready | failed; pending → failed when it could not start;
 * pending → abandoned after 6 h; abandoned → processing when its conversation turns up after all. No other transition.
 */
export const CallStatus = withDocs(z.enum(['pending', 'processing', 'ready', 'failed', 'abandoned']), {
  id: 'CallStatus',
});
export type CallStatus = z.infer<typeof CallStatus>;

/** What one of the two said without the other in between; `user` is the trainee, `agent` the simulated customer. */
export const TranscriptTurn = withDocs(
  z.object({
    role: z.enum(['user', 'agent']),
    message: z.string(),
    /** Seconds from the call's beginning to the turn's. */
    timeInCallSecs: z.number(),
  }),
  { id: 'TranscriptTurn' },
);
export type TranscriptTurn = z.infer<typeof TranscriptTurn>;

/** Word by word from the transcript, and when it was said. */
export const Evidence = withDocs(z.object({ quote: z.string(), timeInCallSecs: z.number() }), { id: 'Evidence' });
export type Evidence = z.infer<typeof Evidence>;

export const CallMetrics = withDocs(
  z.object({
    talkRatio: z.number(),
    longestMonologueSecs: z.number(),
    questionsAsked: z.number(),
    turns: z.number(),
    wordsPerMinute: z.number(),
    /** Null where the provider does not say who interrupted. */
    interruptions: z.nullable(z.number()),
    fillerWords: z.number(),
  }),
  { id: 'CallMetrics' },
);
export type CallMetrics = z.infer<typeof CallMetrics>;

export const Analysis = withDocs(
  z.object({
    summary: z.string(),
    /** ISO 639-1, or `und` where it can't be told. */
    language: z.string(),
    dos: z.array(z.object({ id: z.string(), label: z.string(), covered: z.boolean(), evidence: z.array(Evidence) })),
    /** `met` is null when no language model judged it. */
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

/** A call as who may read it sees it (interface 2.1). Times are ISO 8601 UTC with milliseconds. */
export const TrainingCall = withDocs(
  z.object({
    id: z.guid(),
    orgId: z.guid(),
    userId: z.guid(),
    caseId: z.string(),
    personaId: z.string(),
    conversationId: z.nullable(z.string()),
    agentId: z.nullable(z.string()),
    status: CallStatus,
    durationSeconds: z.nullable(z.int()),
    recordingKey: z.nullable(z.string()),
    failureReason: z.nullable(z.string()),
    createdAt: z.string(),
    updatedAt: z.string(),
    /** The case as it was when the session was opened. */
    caseSnapshot: z.nullable(TrainingCase),
    transcript: z.optional(z.nullable(z.array(TranscriptTurn))),
    analysis: z.optional(z.nullable(Analysis)),
    score: z.optional(z.nullable(Score)),
  }),
  { id: 'TrainingCall' },
);
export type TrainingCall = z.infer<typeof TrainingCall>;

export type CallIds = { orgId: string; callId: string };
