import type { ServerResponse } from 'node:http';
import { GATEWAY_LIMITS, GATEWAY_RESPONSES, type GatewayResponse } from '../../stacks/api/gateway-responses.ts';
import type { ReportError } from '../common/output.ts';
import { TimeoutError, withTimeout } from '../lambda/timeout.ts';

type Headers = Record<string, string | string[]>;
type ProxyResponse = { status: number; headers: Headers; body: Buffer };

type BufferedResponseSettings = {
  functionId: string;
  timeoutSeconds: number;
  /** Time after which API Gateway stops waiting for the function. */
  integrationSeconds: number;
  reportError: ReportError;
};

/**
 * Waits for a function's result and sends it. If the function fails, times out or returns an invalid result, sends
 * nothing and returns a gateway response. The caller must send it.
 */
export async function sendBufferedResponse(
  response: ServerResponse,
  result: Promise<unknown>,
  { functionId, timeoutSeconds, integrationSeconds, reportError }: BufferedResponseSettings,
): Promise<GatewayResponse | undefined> {
  try {
    const proxyResult = await withTimeout(result, Math.min(timeoutSeconds, integrationSeconds));
    sendProxyResponse(response, parseProxyResult(proxyResult));
    return undefined;
  } catch (error) {
    reportError(`The function ${functionId} failed`, error);
    const isGatewayTimeout = error instanceof TimeoutError && timeoutSeconds >= integrationSeconds;
    return isGatewayTimeout ? GATEWAY_RESPONSES.integrationTimedOut : GATEWAY_RESPONSES.integrationFailed;
  }
}

const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined;
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isHeaders = (value: unknown): value is Record<string, unknown> | null | undefined =>
  isAbsent(value) || isRecord(value);

/** Parses a proxy result as strictly as API Gateway. @throws Error for a result to which API Gateway responds 502 */
function parseProxyResult(result: unknown): ProxyResponse {
  if (!isRecord(result)) throw new Error('The function did not return an object.');
  const { statusCode, headers, multiValueHeaders, body } = result;
  if (!isStatus(statusCode))
    throw new Error(`The function must return a status code from 200 to 599, not ${JSON.stringify(statusCode)}.`);
  if (!isAbsent(body) && typeof body !== 'string')
    throw new Error('The function returned a body that is not a string.');
  if (!isHeaders(headers) || !isHeaders(multiValueHeaders))
    throw new Error('The function returned headers that are not an object.');
  const bytes = Buffer.from(body ?? '', result.isBase64Encoded === true ? 'base64' : 'utf8');
  if (bytes.length > GATEWAY_LIMITS.responseBytesMax) {
    throw new Error(
      `The function returned ${bytes.length} bytes. Lambda accepts responses of at most ${GATEWAY_LIMITS.responseBytesMax} bytes.`,
    );
  }
  return { status: statusCode, headers: toNodeHeaders({ ...headers, ...multiValueHeaders }), body: bytes };
}

export const isStatus = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 200 && value <= 599;

/**
 * Converts header values to strings. Renames WWW-Authenticate as a REST API does (API Gateway developer guide,
 * important notes for REST APIs).
 */
export function toNodeHeaders(values: Record<string, unknown>): Headers {
  const headers: Headers = {};
  for (const [originalName, value] of Object.entries(values)) {
    const isRemapped = originalName.toLowerCase() === 'www-authenticate';
    const name = isRemapped ? `x-amzn-Remapped-${originalName}` : originalName;
    if (Array.isArray(value)) headers[name] = value.map(String);
    else if (value !== undefined && value !== null) headers[name] = String(value);
  }
  return headers;
}

/** @throws if HTTP forbids the name or value of a header */
function sendProxyResponse(response: ServerResponse, { status, headers, body }: ProxyResponse): void {
  if (response.destroyed) return;
  // A 304 has no body. Its Content-Length would have to be the length of the cached body (RFC 9110, 8.6), which is
  // unknown here.
  if (status === 304) response.writeHead(status, headers).end();
  else response.writeHead(status, { ...headers, 'Content-Length': body.length }).end(body);
}
