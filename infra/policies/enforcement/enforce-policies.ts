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
  /** Called with a message for each denied call. */
  reportDenial(message: string): void;
};

/**
 * Evaluates each AWS call that a function makes anywhere in this process by the function's policy. A call that is not
 * allowed is never sent: the function gets the error response that AWS would send. Calls outside of functions pass.
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
        `${id} presigns a URL that S3 would reject: its role does not allow ${permission.action} on ${permission.resource}.`,
      );
    }
  });
}
