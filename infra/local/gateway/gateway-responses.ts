import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { GATEWAY_HEADERS, type GatewayAnswer } from '../../api/gateway-answers.ts';

/** An id like those that API Gateway makes, for example `JKJaXmPLvHcESHA=`: no caller chooses it. */
export const extendedRequestId = (): string => randomBytes(11).toString('base64');

/** The headers and body of an answer that the gateway makes itself. */
export function buildGatewayResponse(answer: GatewayAnswer, requestId: string, headers: Record<string, string> = {}) {
  const body = JSON.stringify({ error: { code: answer.code, message: answer.message } });
  return {
    status: answer.status,
    headers: {
      ...GATEWAY_HEADERS,
      'x-request-id': requestId,
      'Content-Length': String(Buffer.byteLength(body)),
      ...answer.headers,
      ...headers,
    },
    body,
  };
}

/** Sends a gateway-made answer, unless an answer has begun or the client is gone. */
export function sendGatewayResponse(
  response: ServerResponse,
  answer: GatewayAnswer,
  requestId: string,
  headers?: Record<string, string>,
): void {
  if (response.headersSent || response.destroyed) return;
  const made = buildGatewayResponse(answer, requestId, headers);
  response.writeHead(made.status, made.headers).end(made.body);
}
