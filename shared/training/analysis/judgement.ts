import type { Logger } from '../../platform/logger.ts';
import type { TranscriptTurn } from '../call.ts';
import type { TrainingCase } from '../training-case.ts';

/** What a language model says of a call. Believed only as far as its quotes stand word by word in what the trainee said. */
export type Judgement = {
  summary: string | undefined;
  dos: { id: string; covered: boolean; quotes: string[] }[];
  successCriteria: { met: boolean; quotes: string[] };
};

export type ToJudge = {
  orgId: string;
  trainingCase: TrainingCase;
  /** Without what was said to the judge instead of to the customer. */
  turns: readonly TranscriptTurn[];
  log: Logger;
};

/** Undefined: there is no judge, its budget is used up, or it gave no judgement that can be read; the rules stand alone then. */
export type Judge = (asked: ToJudge) => Promise<Judgement | undefined>;
