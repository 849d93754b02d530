import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { Caller } from './authorizer.ts';
import type { RequestContext } from './middleware/middleware.ts';
import type { OperationSpec } from './operation.ts';

type Parsed<T> = T extends z.ZodMiniType ? z.output<T> : undefined;

/** The request that a handler receives, parsed as the operation declares it. */
export type HandlerRequest<S extends OperationSpec> = Omit<RequestContext, 'path' | 'query' | 'body' | 'caller'> & {
  path: z.output<S['request']['path']>;
  query: Parsed<S['request']['query']>;
  body: Parsed<S['request']['body']>;
};

export type AuthorizedRequest<S extends OperationSpec, Role extends string> = HandlerRequest<S> & {
  caller: Caller<Role>;
};

export type ResponseBody<S extends OperationSpec> = z.input<
  NonNullable<S['responses'][keyof S['responses']] & z.ZodMiniType>
>;

/** A Lambda handler behind a REST API with proxy integration. */
export type ApiGatewayHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;
