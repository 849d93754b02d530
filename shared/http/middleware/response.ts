import type { APIGatewayProxyResult } from 'aws-lambda';
import { isResponseValidationEnabled } from '../../platform/settings.ts';
import { UnavailableError } from '../../platform/unavailable.ts';
import { corsHeaders } from '../cors-headers.ts';
import { HttpError, internalError, serviceUnavailable } from '../errors.ts';
import { errorStatusesOf, type Operation, successStatus } from '../operation.ts';
import { SECURITY_HEADERS } from '../security-headers.ts';
import type { Middleware, MiddlewareRequest, RequestState } from './middleware.ts';

/** Turns the handler's result, or the error that was thrown, into the HTTP response. */
export function serializeResponse(operation: Operation, corsOrigins: readonly string[]): Middleware {
  const status = successStatus(operation);
  const schema = operation.responses[status];
  return {
    after: (request) => {
      const body: unknown = request.response;
      if (isResponseValidationEnabled()) schema?.parse(body);
      request.response = jsonResponse(operation, corsOrigins, request, { status, body });
    },
    onError: (request) => {
      request.response = errorResponse(operation, corsOrigins, request);
    },
  };
}

export function errorResponse(operation: Operation, corsOrigins: readonly string[], request: MiddlewareRequest) {
  const error = toHttpError(request, operation);
  const { status, headers } = error;
  return jsonResponse(operation, corsOrigins, request, { status, headers, body: errorBody(error) });
}

type Content = { status: number; body: unknown; headers?: Record<string, string> };

function jsonResponse(
  operation: Operation,
  corsOrigins: readonly string[],
  { event }: MiddlewareRequest,
  { status, body, headers }: Content,
): APIGatewayProxyResult {
  return {
    statusCode: status,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      ...commonHeaders(operation, corsOrigins, event.requestState),
      ...headers,
    },
    body: JSON.stringify(body),
  };
}

export const commonHeaders = (
  operation: Operation,
  corsOrigins: readonly string[],
  { requestId, headers, warnings }: RequestState,
) => ({
  'Cache-Control': 'no-store',
  ...SECURITY_HEADERS,
  'x-request-id': requestId,
  ...(warnings.size > 0 && { 'x-warning': [...warnings].join(' ') }),
  ...corsHeaders(operation, headers.origin, corsOrigins),
});

/**
 * Converts an `UnavailableError` into a 503. Unexpected errors, and errors with a status that is not in
 * `errorStatusesOf(operation)`, become a 500.
 */
function toHttpError({ error, event }: MiddlewareRequest, operation: Operation): HttpError {
  const { log } = event.requestState;
  const httpError = toDeclaredError(error instanceof UnavailableError ? serviceUnavailable(error) : error, operation);
  if (httpError.status >= 500) {
    log.error('The request failed.', error, { status: httpError.status });
    // Server errors are counted here: Lambda's own Errors metric omits errors that were turned into a response.
    log.recordMetric('ServerErrors');
  }
  return httpError;
}

/** @throws Error if responses are validated and the status is not in `errorStatusesOf(operation)` */
function toDeclaredError(error: unknown, operation: Operation): HttpError {
  if (!(error instanceof HttpError)) return internalError();
  if (errorStatusesOf(operation).has(error.status)) return error;
  if (isResponseValidationEnabled()) {
    const file = `functions/${operation.id}/operation.ts`;
    throw new Error(`${operation.id} does not declare the status ${error.status}. Add it to \`errors\` in ${file}.`, {
      cause: error,
    });
  }
  return internalError();
}

function errorBody({ code, message, extension }: HttpError): unknown {
  return { error: { code, message, ...extension.error }, ...extension.body };
}
