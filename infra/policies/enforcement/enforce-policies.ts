import { createRequestEvaluator, type GrantUse } from '../evaluate-request.ts';
import { findPresignedUrls } from '../presigned-urls.ts';
import type { AwsRequest } from '../requests/aws-request.ts';
import type { Policies } from '../template-policies.ts';
import { buildAccessDenied } from './access-denied-response.ts';
import { blockHttp2 } from './block-http2.ts';
import { blockRawSockets } from './block-raw-sockets.ts';
import { interceptFetch } from './intercept-fetch.ts';
import { interceptHttp } from './intercept-http.ts';
import { onFunctionResult, runningFunction } from './running-function.ts';

type Settings = {
  policies: Policies;
  recordUse(use: GrantUse): void;
  /** Called with a message for each AWS call, connection and presigned URL that is denied. */
  reportDenial(message: string): void;
};

/**
 * Enforces the policies of all functions that run in this process. If a function's policy does not allow an AWS call,
 * the call is not sent, and the function gets the error response of AWS. A function fails if it opens a connection that
 * can't be evaluated, or returns a presigned URL that S3 would reject. Calls outside of functions are not checked.
 */
export function enforcePolicies({ policies, recordUse, reportDenial }: Settings): void {
  const evaluator = createRequestEvaluator(policies, recordUse);
  const evaluationHooks = {
    runningFunction,
    evaluate: evaluator.evaluate,
    recordMissingObject: evaluator.recordMissingObject,
    deny: (request: AwsRequest, message: string) => {
      reportDenial(message);
      return buildAccessDenied(request, message);
    },
  };
  interceptHttp(evaluationHooks);
  interceptFetch(evaluationHooks);
  const deny = (message: string): never => {
    reportDenial(message);
    throw new Error(message);
  };
  blockHttp2({ runningFunction, deny });
  blockRawSockets({ runningFunction, deny });
  onFunctionResult((id, result) => {
    for (const permission of findPresignedUrls(result).flatMap(({ permissions }) => permissions)) {
      if (evaluator.allows(id, permission)) continue;
      deny(
        `The function ${id} presigns a URL that S3 would reject, because the function is not allowed ` +
          `${permission.action} on ${permission.resource}.`,
      );
    }
  });
}
