import type { ReadTags, RequestDecision } from '../evaluate-request.ts';
import type { AwsRequest } from '../requests/aws-request.ts';
import type { AccessDeniedResponse } from './access-denied-response.ts';

/** What an interceptor of requests needs to evaluate them. */
export type EvaluationHooks = {
  /** The id of the function that makes the current call, if any. */
  runningFunction(): string | undefined;
  evaluate(id: string, request: AwsRequest, readTags: ReadTags): RequestDecision | Promise<RequestDecision>;
  recordMissingObject(id: string, request: AwsRequest): void;
  /** Reports the denial and returns the response for the function. */
  deny(request: AwsRequest, message: string): AccessDeniedResponse;
};

/** The same for network APIs whose traffic cannot be evaluated: a function that uses one fails. */
export type BlockingHooks = {
  runningFunction(): string | undefined;
  /** Reports the denial, because the function might catch the error. @throws Error */
  deny(message: string): never;
};
