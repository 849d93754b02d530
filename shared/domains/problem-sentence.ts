import { Problem } from '../http/problem.ts';
import { EdgeFailure } from './edge.ts';

/** What the operator is told of a failure; what nobody foresaw is in the log. */
export const problemSentence = (error: unknown): string =>
  error instanceof EdgeFailure || error instanceof Problem
    ? error.message
    : 'Something failed that nobody foresaw: the log of the background functions tells what.';
