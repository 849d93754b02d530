import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { OperationSpec } from './operation.ts';
import type { Caller, Frame } from './stack/frame.ts';

type Parsed<T> = T extends z.ZodMiniType ? z.output<T> : undefined;

/** What a handler is given: the request, parsed as its declaration says. */
export type Call<S extends OperationSpec> = Omit<Frame, 'path' | 'query' | 'body' | 'caller'> & {
  path: z.output<S['request']['path']>;
  query: Parsed<S['request']['query']>;
  body: Parsed<S['request']['body']>;
};

export type MemberCall<S extends OperationSpec> = Call<S> & { caller: Caller };

export type Reply<S extends OperationSpec> = z.input<NonNullable<S['replies'][keyof S['replies']] & z.ZodMiniType>>;

/** A Lambda handler behind a REST API with proxy integration. */
export type HttpHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;
