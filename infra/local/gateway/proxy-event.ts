import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { BINARY_MEDIA_TYPES } from '../../api/gateway-answers.ts';
import type { Match } from './routes.ts';

export const ACCOUNT_ID = '000000000000';

/**
 * API Gateway takes its request id from the caller where this header is given (developer guide, variables for access
 * logging). Nothing may rely on that id; the extended one is API Gateway's own.
 */
const REQUEST_ID_HEADER = 'x-amzn-requestid';

type Arrived = {
  request: IncomingMessage;
  match: Match;
  path: string;
  search: string;
  body: Buffer;
  requestId: string;
  arrivedAt: Date;
};

/** The event that a REST API hands to a function with proxy integration (payload format 1.0). */
export function proxyEvent({
  request,
  match,
  path,
  search,
  body,
  requestId,
  arrivedAt,
}: Arrived): APIGatewayProxyEvent {
  const sourceIp = sourceIpOf(request);
  const headers = headersOf(request, sourceIp);
  // A semicolon splits the query too (developer guide, important notes for REST APIs).
  const query = Map.groupBy(new URLSearchParams(search.replaceAll(';', '&')), ([name]) => name);
  const base64 = isBinary(request.headers['content-type']);
  const method = request.method ?? 'GET';
  return {
    resource: match.resource.template,
    path,
    httpMethod: method,
    headers: Object.fromEntries([...headers].map(([name, values]) => [name, values.at(-1)])),
    multiValueHeaders: Object.fromEntries(headers),
    queryStringParameters: orNull([...query].map(([name, pairs]) => [name, pairs.at(-1)?.[1]])),
    multiValueQueryStringParameters: orNull([...query].map(([name, pairs]) => [name, pairs.map(([, value]) => value)])),
    pathParameters: orNull(Object.entries(match.parameters)),
    stageVariables: null,
    requestContext: requestContext(request, {
      template: match.resource.template,
      method,
      path,
      requestId,
      sourceIp,
      arrivedAt,
    }),
    body: body.length === 0 ? null : body.toString(base64 ? 'base64' : 'utf8'),
    isBase64Encoded: base64 && body.length > 0,
  };
}

/** Own properties only, whatever the names: fromEntries gives `__proto__` no meaning. */
const orNull = <T>(entries: [string, T][]) => (entries.length === 0 ? null : Object.fromEntries(entries));

const isBinary = (contentType = '') => {
  const [mediaType = ''] = contentType.split(';');
  return BINARY_MEDIA_TYPES.some((binary) => binary === mediaType.trim());
};

/** The peer's address; an IPv4 one without the mapping that a dual-stack socket adds. */
export const sourceIpOf = ({ socket }: IncomingMessage): string =>
  (socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '');

/** Names in the client's spelling; a repeated name keeps all its values. The gateway adds what a proxy adds. */
function headersOf({ rawHeaders, headers }: IncomingMessage, sourceIp: string): Map<string, string[]> {
  const collected = new Map<string, string[]>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (name.toLowerCase() === 'x-forwarded-for') continue;
    const values = collected.get(name);
    if (values) values.push(value);
    else collected.set(name, [value]);
  }
  const forwarded = headers['x-forwarded-for'];
  collected.set('X-Forwarded-For', [forwarded === undefined ? sourceIp : `${String(forwarded)}, ${sourceIp}`]);
  collected.set('X-Forwarded-Proto', ['http']);
  const hex = randomUUID().replaceAll('-', '');
  collected.set('X-Amzn-Trace-Id', [`Root=1-${hex.slice(0, 8)}-${hex.slice(8)}`]);
  return collected;
}

type Named = {
  template: string;
  method: string;
  path: string;
  requestId: string;
  sourceIp: string;
  arrivedAt: Date;
};

function requestContext(
  request: IncomingMessage,
  { template, method, path, requestId, sourceIp, arrivedAt }: Named,
): APIGatewayProxyEvent['requestContext'] {
  return {
    accountId: ACCOUNT_ID,
    apiId: 'local',
    authorizer: null,
    domainName: request.headers.host ?? '',
    domainPrefix: 'local',
    extendedRequestId: requestId,
    httpMethod: method,
    identity: identity(sourceIp, request.headers['user-agent']),
    path,
    protocol: `HTTP/${request.httpVersion}`,
    // What the caller says it is: see `REQUEST_ID_HEADER`.
    requestId: String(request.headers[REQUEST_ID_HEADER] ?? randomUUID()),
    requestTime: commonLogTime(arrivedAt),
    requestTimeEpoch: arrivedAt.getTime(),
    resourceId: template,
    resourcePath: template,
    stage: 'local',
  };
}

/** For example `09/Apr/2015:12:34:56 +0000`. */
function commonLogTime(time: Date): string {
  const [, day, month, year, clock] = time.toUTCString().split(' ');
  return `${day}/${month}/${year}:${clock} +0000`;
}

const identity = (sourceIp: string, userAgent: string | undefined) => ({
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  sourceIp,
  user: null,
  userAgent: userAgent ?? null,
  userArn: null,
});
