import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { ApiGatewayHandler } from '../../shared/http/handler.ts';
import type { Operation } from '../../shared/http/operation.ts';

export type Request = {
  path?: Record<string, string>;
  query?: Record<string, string | string[]>;
  headers?: Record<string, string>;
  /** A string is sent as it is, anything else as JSON. */
  body?: unknown;
  ip?: string;
  /** When the gateway received the request. Default: now. */
  arrivedAtMs?: number;
};

export type Answer = { status: number; headers: Record<string, string>; body: unknown; text: string };

let requests = 0;

/** The format of `x-request-id`: the extended request id of API Gateway, 11 bytes in base64. */
export const REQUEST_ID = /^[\w+/-]{15}=$/;

/** Creates the event that API Gateway's REST proxy integration sends for a request to the operation. */
export function proxyEvent(declared: Operation, request: Request): APIGatewayProxyEvent {
  const body =
    request.body === undefined || typeof request.body === 'string' ? request.body : JSON.stringify(request.body);
  const headers = request.headers ?? {};
  const query = Object.entries(request.query ?? {}).map(([name, value]) => [name, [value].flat()] as const);
  return {
    resource: declared.path,
    path: declared.path.replace(/\{(\w+)\}/g, (_, name: string) => request.path?.[name] ?? ''),
    httpMethod: declared.method,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    queryStringParameters:
      query.length === 0 ? null : Object.fromEntries(query.map(([name, values]) => [name, values.at(-1)])),
    multiValueQueryStringParameters: query.length === 0 ? null : Object.fromEntries(query),
    pathParameters: request.path ?? null,
    stageVariables: null,
    requestContext: {
      // A client can choose `requestId`. API Gateway generates `extendedRequestId`.
      requestId: 'chosen-by-the-caller',
      extendedRequestId: `${String(++requests).padStart(15, '0')}=`,
      identity: { sourceIp: request.ip ?? '192.0.2.1', userAgent: headers['user-agent'] ?? null },
      requestTimeEpoch: request.arrivedAtMs,
      resourcePath: declared.path,
      httpMethod: declared.method,
      stage: 'test',
    } as APIGatewayProxyEvent['requestContext'],
    body: body ?? null,
    isBase64Encoded: false,
  };
}

/** Calls a handler as the gateway does, and parses its response as a client does. */
export const caller =
  (declared: Operation, handler: ApiGatewayHandler) =>
  async (request: Request = {}): Promise<Answer> => {
    const answer = await handler(proxyEvent(declared, request), {} as Context);
    const text = answer.body;
    const headers = Object.fromEntries(
      Object.entries(answer.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
    );
    const isPage = headers['content-type']?.startsWith('text/html');
    return { status: answer.statusCode, headers, body: text === '' || isPage ? undefined : JSON.parse(text), text };
  };
