import type { ServerResponse } from 'node:http';
import { GATEWAY_ANSWERS, GATEWAY_LIMITS, type GatewayAnswer } from '../../api/gateway-answers.ts';
import type { ReportError } from '../common/output.ts';
import { TimeoutError, withTimeout } from '../lambda/timeout.ts';

type Headers = Record<string, string | string[]>;
type Reply = { status: number; headers: Headers; body: Buffer };

/**
 * Waits for a function's answer as the gateway does and sends it; what broke, came too late or can't be read becomes
 * the gateway's own answer, which is returned for the caller to send.
 */
export async function sendBufferedResponse(
  response: ServerResponse,
  result: Promise<unknown>,
  { timeoutSeconds, report }: { timeoutSeconds: number; report: ReportError },
): Promise<GatewayAnswer | undefined> {
  const { integrationSeconds } = GATEWAY_LIMITS;
  try {
    sendReply(response, parseProxyResult(await withTimeout(result, Math.min(timeoutSeconds, integrationSeconds))));
    return undefined;
  } catch (error) {
    report('A function failed', error);
    const late = error instanceof TimeoutError && timeoutSeconds >= integrationSeconds;
    return late ? GATEWAY_ANSWERS.integrationTimedOut : GATEWAY_ANSWERS.integrationFailed;
  }
}

const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined;
const isHeaders = (value: unknown): value is Record<string, unknown> | null | undefined =>
  isAbsent(value) || isRecord(value);
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Reads a proxy result as strictly as the gateway. @throws for what it would answer with 502 */
function parseProxyResult(result: unknown): Reply {
  if (!isRecord(result)) throw new Error('The function answered with no object.');
  const { statusCode, headers, multiValueHeaders, body } = result;
  if (!isStatus(statusCode)) throw new Error('The function answered with no possible status.');
  if (!isAbsent(body) && typeof body !== 'string') throw new Error('The body of an answer must be a string.');
  if (!isHeaders(headers) || !isHeaders(multiValueHeaders)) throw new Error('Headers must be an object.');
  const bytes = Buffer.from(body ?? '', result.isBase64Encoded === true ? 'base64' : 'utf8');
  if (bytes.length > GATEWAY_LIMITS.answerBytesMax) throw new Error(`An answer of ${bytes.length} bytes is too large.`);
  return { status: statusCode, headers: toNodeHeaders({ ...headers, ...multiValueHeaders }), body: bytes };
}

export const isStatus = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 200 && value <= 599;

/**
 * Header values as Node takes them; a function may give numbers and booleans. A REST API renames WWW-Authenticate
 * (developer guide, important notes).
 */
export function toNodeHeaders(given: Record<string, unknown>): Headers {
  const headers: Headers = {};
  for (const [said, value] of Object.entries(given)) {
    const name = said.toLowerCase() === 'www-authenticate' ? `x-amzn-Remapped-${said}` : said;
    if (Array.isArray(value)) headers[name] = value.map(String);
    else if (value !== undefined && value !== null) headers[name] = String(value);
  }
  return headers;
}

/** @throws when a header has a name or value that HTTP forbids */
function sendReply(response: ServerResponse, { status, headers, body }: Reply): void {
  if (response.destroyed) return;
  // 304 speaks of an answer that has a length, and has no body itself (RFC 9110, 8.6).
  if (status === 304) response.writeHead(status, headers).end();
  else response.writeHead(status, { ...headers, 'Content-Length': body.length }).end(body);
}
