import type { RequestDecision } from '../evaluate-request.ts';
import type { AwsRequest } from '../requests/aws-request.ts';
import type { AccessDeniedResponse } from './access-denied-response.ts';

/** What the hooks in the ways to the network ask. */
export type EvaluationHooks = {
  runningFunction(): string | undefined;
  evaluate(
    id: string,
    request: AwsRequest,
    tagsOf: (arn: string) => Promise<Readonly<Record<string, string>>>,
  ): RequestDecision | Promise<RequestDecision>;
  recordMissingObject(id: string, request: AwsRequest): void;
  /** Tells of the refusal, and gives the answer. */
  deny(request: AwsRequest, sentence: string): AccessDeniedResponse;
};

/** The same for ways that can't be judged: a function that takes one fails. */
export type BlockingHooks = {
  runningFunction(): string | undefined;
  /** Tells of it. @throws Error, which the function may well catch */
  deny(sentence: string): never;
};
