import type { ReadTags, RequestDecision } from '../evaluate-request.ts';
import type { AwsRequest } from '../requests/aws-request.ts';
import type { AccessDeniedResponse } from './access-denied-response.ts';

/** Functions with which an interceptor evaluates requests. */
export type EvaluationHooks = {
  /** Returns the id of the function whose handler is running; undefined outside of functions. */
  runningFunction(): string | undefined;
  evaluate(id: string, request: AwsRequest, readTags: ReadTags): RequestDecision | Promise<RequestDecision>;
  recordMissingObject(id: string, request: AwsRequest): void;
  /** Reports the denial and returns the response for the function. */
  deny(request: AwsRequest, message: string): AccessDeniedResponse;
};

/** Functions with which HTTP/2 and raw connections are blocked, because their traffic cannot be evaluated. */
export type BlockingHooks = {
  runningFunction(): string | undefined;
  /** Reports the denial and throws an Error. The report is necessary because the function might catch the error. */
  deny(message: string): never;
};
