import { guardAgents } from './guard-agents.ts';
import { guardFetch } from './guard-fetch.ts';
import { guardHttp2 } from './guard-http2.ts';
import { guardSockets } from './guard-sockets.ts';
import { judge, type Use } from './judge.ts';
import { refusalOf } from './refusal.ts';
import type { AwsRequest } from './requests/aws-request.ts';
import { lookAtAnswers, runningFunction } from './running.ts';
import { linksIn } from './signed-links.ts';
import type { Policies } from './template-policies.ts';

type Settings = {
  policies: Policies;
  used(use: Use): void;
  /** Told, once each, what a function did without being allowed to. */
  refused(sentence: string): void;
};

/**
 * From now on each call of AWS that a function makes is judged by the function's policy, wherever in this process it
 * comes from: what the policy does not allow is answered as AWS answers it, and never sent. Calls from outside of
 * functions pass.
 */
export function guardFunctions({ policies, used, refused }: Settings): void {
  const judging = judge(policies, used);
  const asked = {
    running: runningFunction,
    verdictOn: judging.request,
    heardMissing: judging.heardMissing,
    refusalOf: (request: AwsRequest, sentence: string) => {
      refused(sentence);
      return refusalOf(request, sentence);
    },
  };
  guardAgents(asked);
  guardFetch(asked);
  const refuse = (sentence: string): never => {
    refused(sentence);
    throw new Error(sentence);
  };
  guardHttp2({ running: runningFunction, refuse });
  guardSockets({ running: runningFunction, refuse });
  lookAtAnswers((id, answer) => {
    for (const { demands } of linksIn(answer)) {
      for (const demand of demands) {
        if (judging.allows(id, demand)) continue;
        refuse(
          `${id} signs a link that S3 would refuse: ${demand.action} on ${demand.resource} is not its own to give.`,
        );
      }
    }
  });
}
