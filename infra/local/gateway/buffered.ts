import type { ServerResponse } from 'node:http';
import { GATEWAY_ANSWERS, GATEWAY_LIMITS, type GatewayAnswer } from '../../gateway-answers.ts';

type Headers = Record<string, string | string[]>;
type Reply = { status: number; headers: Headers; body: Buffer };

const TIMED_OUT = Symbol('timed out');

/**
 * Waits for a function's answer as the gateway does and sends it; what broke, came too late or can't be read becomes
 * the gateway's own answer, which is returned for the caller to send.
 */
export async function sendBuffered(
  response: ServerResponse,
  result: Promise<unknown>,
  timeoutSeconds: number,
): Promise<GatewayAnswer | undefined> {
  const { integrationSeconds } = GATEWAY_LIMITS;
  const settled = await within(result, Math.min(timeoutSeconds, integrationSeconds) * 1000);
  if (settled === TIMED_OUT) {
    return timeoutSeconds < integrationSeconds
      ? GATEWAY_ANSWERS.integrationFailed
      : GATEWAY_ANSWERS.integrationTimedOut;
  }
  const reply = replyIn(settled);
  if (reply === undefined || !sendReply(response, reply)) return GATEWAY_ANSWERS.integrationFailed;
  return undefined;
}

async function within(result: Promise<unknown>, milliseconds: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<symbol>((resolve) => {
    timer = setTimeout(resolve, milliseconds, TIMED_OUT);
  });
  try {
    return await Promise.race([result, timeout]);
  } catch (error) {
    console.error('A function failed:', error);
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Reads a proxy result as strictly as the gateway: undefined for what it would answer with 502. */
function replyIn(result: unknown): Reply | undefined {
  if (!isRecord(result)) return undefined;
  const { statusCode, headers = {}, multiValueHeaders = {}, body = '' } = result;
  if (!isStatus(statusCode) || !(typeof body === 'string' || body === null)) return undefined;
  if (!isRecord(headers) || !isRecord(multiValueHeaders)) return undefined;
  const bytes = Buffer.from(body ?? '', result.isBase64Encoded === true ? 'base64' : 'utf8');
  if (bytes.length > GATEWAY_LIMITS.answerBytesMax) return undefined;
  return { status: statusCode, headers: headersOf({ ...headers, ...multiValueHeaders }), body: bytes };
}

export const isStatus = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 200 && value <= 599;

/** Header values as Node takes them; a function may give numbers and booleans. */
export function headersOf(given: Record<string, unknown>): Headers {
  const headers: Headers = {};
  for (const [name, value] of Object.entries(given)) {
    if (Array.isArray(value)) headers[name] = value.map(String);
    else if (value !== undefined && value !== null) headers[name] = String(value);
  }
  return headers;
}

/** False when a header has a name or value that HTTP forbids. */
function sendReply(response: ServerResponse, { status, headers, body }: Reply): boolean {
  if (response.destroyed) return true;
  try {
    response.writeHead(status, { ...headers, 'Content-Length': body.length }).end(body);
    return true;
  } catch (error) {
    console.error('A function answered with impossible headers:', error);
    return false;
  }
}
