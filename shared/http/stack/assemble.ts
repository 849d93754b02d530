import middy from '@middy/core';
import { optionalConfig, repliesValidated } from '../../platform/config.ts';
import type { HttpHandler } from '../call.ts';
import type { Operation } from '../operation.ts';
import { answerStage } from './answer-stage.ts';
import { type Frame, frameStage, type StackEvent } from './frame.ts';
import { requestStage } from './parse-stage.ts';
import type { Stage } from './stage.ts';

/**
 * A handler behind its stages: those of every operation around those that admit a request.
 *
 * @param finishing stages that are given the answer when it stands
 */
export function assemble<C>(
  declared: Operation,
  handle: (call: C) => Promise<unknown>,
  admission: readonly Stage[],
  finishing: readonly Stage[] = [],
): HttpHandler {
  const stages: Stage[] = [
    frameStage(declared),
    ...finishing,
    answerStage(declared, {
      corsOrigins: optionalConfig('corsOrigins')?.split(',') ?? [],
      validateReplies: repliesValidated(),
    }),
    ...admission,
    requestStage(declared),
  ];
  const parsed = handle as unknown as (call: Frame) => Promise<unknown>;
  // Lambda's own timeout is declared; an early answer of middy's would leave the handler's work running behind it.
  const stacked = middy((event: StackEvent) => parsed(event.frame), { timeoutEarlyInMillis: 0 });
  return stacked.use(stages as middy.MiddlewareObj<StackEvent>[]) as unknown as HttpHandler;
}
