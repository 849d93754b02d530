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
  used(use: GrantUse): void;
  /** Told, once each, what a function did without being allowed to. */
  refused(sentence: string): void;
};

/**
 * From now on each call of AWS that a function makes is judged by the function's policy, wherever in this process it
 * comes from: what the policy does not allow is answered as AWS answers it, and never sent. Calls from outside of
 * functions pass.
 */
export function enforcePolicies({ policies, used, refused }: Settings): void {
  const judging = createRequestEvaluator(policies, used);
  const asked = {
    runningFunction,
    evaluate: judging.request,
    recordMissingObject: judging.heardMissing,
    deny: (request: AwsRequest, sentence: string) => {
      refused(sentence);
      return buildAccessDenied(request, sentence);
    },
  };
  interceptHttp(asked);
  interceptFetch(asked);
  const refuse = (sentence: string): never => {
    refused(sentence);
    throw new Error(sentence);
  };
  blockHttp2({ runningFunction, deny: refuse });
  blockRawSockets({ runningFunction, deny: refuse });
  onFunctionResult((id, answer) => {
    for (const { permissions: demands } of findPresignedUrls(answer)) {
      for (const demand of demands) {
        if (judging.allows(id, demand)) continue;
        refuse(
          `${id} signs a link that S3 would refuse: ${demand.action} on ${demand.resource} is not its own to give.`,
        );
      }
    }
  });
}
