import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type * as z from 'zod';
import { optionalConfig, repliesValidated } from '../platform/config.ts';
import type { Gate } from './gate.ts';
import type { Operation, OperationSpec } from './operation.ts';
import { answerStage } from './stack/answer-stage.ts';
import { bodyLimitStage, bodyStage } from './stack/body-stage.ts';
import { type Caller, type Frame, frameStage, type StackEvent } from './stack/frame.ts';
import { gateStage } from './stack/gate-stage.ts';
import { pathStage, requestStage } from './stack/parse-stage.ts';
import type { Stage } from './stack/stage.ts';

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;

/** What a handler is given: the request, parsed as its declaration says. */
export type Call<S extends OperationSpec> = Omit<Frame, 'path' | 'query' | 'body' | 'caller'> & {
  path: z.output<S['request']['path']>;
  query: Parsed<S['request']['query']>;
  body: Parsed<S['request']['body']>;
};

export type MemberCall<S extends OperationSpec> = Call<S> & { caller: Caller };

type Reply<S extends OperationSpec> = z.input<NonNullable<S['replies'][keyof S['replies']] & z.ZodType>>;

/** A Lambda handler behind a REST API with proxy integration. */
export type HttpHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/**
 * The stack of a public operation, in the order of decisions 2: 413, then 415 and 400, then what the handler finds.
 * The handler returns the reply's body or throws a `Problem`; its status comes from the declaration.
 */
export function publicEndpoint<S extends OperationSpec>(
  declared: Operation<S>,
  handle: (call: Call<S>) => Promise<Reply<S>>,
): HttpHandler {
  return stack(declared, handle as (call: Frame) => Promise<unknown>, [
    pathStage(declared),
    ...(declared.body === 'none' ? [] : [bodyStage(declared.body, 'removed', declared.sideMatters)]),
  ]);
}

/** The stack of an organization's operation: 413, 401, 400 for the path, 403, 429, then 415 and 400, then the handler. */
export function memberEndpoint<S extends OperationSpec>(
  declared: Operation<S>,
  gate: Gate,
  handle: (call: MemberCall<S>) => Promise<Reply<S>>,
): HttpHandler {
  return stack(declared, handle as (call: Frame) => Promise<unknown>, [
    gateStage(declared, gate),
    ...(declared.body === 'none' ? [] : [bodyStage(declared.body, 'refused')]),
  ]);
}

function stack(
  declared: Operation,
  handle: (call: Frame) => Promise<unknown>,
  admission: readonly Stage[],
): HttpHandler {
  const stages: Stage[] = [
    frameStage(declared),
    answerStage(declared, {
      corsOrigins: optionalConfig('corsOrigins')?.split(',') ?? [],
      validateReplies: repliesValidated(),
    }),
    bodyLimitStage,
    ...admission,
    requestStage(declared),
  ];
  // Lambda's own timeout is declared; an early answer of middy's would leave the handler's work running behind it.
  const stacked = middy((event: StackEvent) => handle(event.frame), { timeoutEarlyInMillis: 0 });
  for (const stage of stages) stacked.use(stage as middy.MiddlewareObj<StackEvent>);
  return stacked as unknown as HttpHandler;
}
