import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { Caller } from './authorizer.ts';
import type { RequestState } from './middleware/middleware.ts';
import type { OperationDeclaration } from './operation.ts';

type Parsed<T> = T extends z.ZodMiniType ? z.output<T> : undefined;

/**
 * The request that a handler receives. Path, query and body are parsed as the operation declares them. `headers` has
 * all headers of the request, and the declared headers in their parsed form.
 */
export type HandlerRequest<D extends OperationDeclaration> = Omit<
  RequestState,
  'path' | 'query' | 'body' | 'caller'
> & {
  path: z.output<D['request']['path']>;
  query: Parsed<D['request']['query']>;
  body: Parsed<D['request']['body']>;
};

export type AuthorizedRequest<D extends OperationDeclaration, Role extends string> = HandlerRequest<D> & {
  caller: Caller<Role>;
};

export type ResponseBody<D extends OperationDeclaration> = z.input<
  NonNullable<D['responses'][keyof D['responses']] & z.ZodMiniType>
>;

/** A Lambda handler behind a REST API with proxy integration. */
export type ApiGatewayHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;
