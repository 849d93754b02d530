import type { APIGatewayProxyResult } from 'aws-lambda';
import { corsHeaders } from '../cors-headers.ts';
import { HttpError, type HttpErrorStatus, internalError } from '../errors.ts';
import { type Operation, successStatus } from '../operation.ts';
import { SECURITY_HEADERS } from '../security-headers.ts';
import type { Middleware } from './middleware.ts';
import type { MiddlewareRequest, RequestContext } from './request-context.ts';

type ResponseOptions = { corsOrigins: readonly string[]; validateReplies: boolean };

/** The last word: turns the handler's reply, or whatever was thrown, into the HTTP answer. */
export function serializeResponse(declared: Operation, options: ResponseOptions): Middleware {
  const status = successStatus(declared);
  const schema = declared.responses[status];
  return {
    after: (request) => {
      const reply: unknown = request.response;
      if (options.validateReplies) schema?.parse(reply);
      request.response = jsonResponse(declared, options.corsOrigins, request, { status, body: reply });
    },
    onError: (request) => {
      request.response = errorResponse(declared, options.corsOrigins, request);
    },
  };
}

/** The answer to whatever was thrown. */
export function errorResponse(declared: Operation, corsOrigins: readonly string[], request: MiddlewareRequest) {
  const problem = toHttpError(request, declared);
  const { status, headers } = problem;
  return jsonResponse(declared, corsOrigins, request, { status, headers, body: errorBody(problem) });
}

type Said = { status: number; body: unknown; headers?: Record<string, string> };

function jsonResponse(
  declared: Operation,
  corsOrigins: readonly string[],
  { event }: MiddlewareRequest,
  { status, body, headers }: Said,
): APIGatewayProxyResult {
  return {
    statusCode: status,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      ...commonHeaders(declared, corsOrigins, event.context),
      ...headers,
    },
    body: JSON.stringify(body),
  };
}

/** The headers of every answer. */
export const commonHeaders = (
  declared: Operation,
  corsOrigins: readonly string[],
  { requestId, headers, warnings }: RequestContext,
) => ({
  'Cache-Control': 'no-store',
  ...SECURITY_HEADERS,
  'x-request-id': requestId,
  ...(warnings.size > 0 && { 'x-warning': [...warnings].join(' ') }),
  ...corsHeaders(declared, headers.origin, corsOrigins),
});

/** Anything that is not a Problem, and a Problem that the declaration does not list, is our own fault. */
function toHttpError({ error, event }: MiddlewareRequest, declared: Operation): HttpError {
  const { log } = event.context;
  const problem = error instanceof HttpError && isPossible(declared, error.status) ? error : internalError();
  if (problem.status >= 500) {
    log.error('answered with a server error', error, { status: problem.status });
    // Lambda itself counts as errors only what is not answered.
    log.recordMetric('ServerErrors');
  }
  return problem;
}

const isPossible = ({ errors }: Operation, status: HttpErrorStatus): boolean =>
  errors.includes(status) || ALWAYS_POSSIBLE.has(status);

/** Decisions 2: these can be added to any operation's outcomes. */
const ALWAYS_POSSIBLE: ReadonlySet<number> = new Set([405, 413, 415, 429, 500, 503]);

function errorBody(problem: HttpError): unknown {
  return {
    error: { code: problem.code, message: problem.message, ...problem.extension.error },
    ...problem.extension.body,
  };
}
