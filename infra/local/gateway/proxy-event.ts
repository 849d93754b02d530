import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { BINARY_MEDIA_TYPES } from '../../stacks/api/gateway-responses.ts';
import { ACCOUNT_ID } from '../runtime/environment.ts';
import type { Match } from './routes.ts';

/**
 * If the caller sends this header, API Gateway uses its value as the request id (developer guide, variables for access
 * logging). Therefore, code must not rely on the request id. Callers cannot choose the extended request id.
 */
const REQUEST_ID_HEADER = 'x-amzn-requestid';

type ReceivedRequest = {
  request: IncomingMessage;
  match: Match;
  path: string;
  search: string;
  body: Buffer;
  requestId: string;
  arrivedAt: Date;
};

/** Creates the event that a REST API passes to a function with proxy integration (payload format 1.0). */
export function proxyEvent({
  request,
  match,
  path,
  search,
  body,
  requestId,
  arrivedAt,
}: ReceivedRequest): APIGatewayProxyEvent {
  const sourceIp = sourceIpOf(request);
  const headers = collectHeaders(request, sourceIp);
  // A semicolon separates parameters, too (developer guide, important notes for REST APIs).
  const query = Map.groupBy(new URLSearchParams(search.replaceAll(';', '&')), ([name]) => name);
  const isBase64Encoded = isBinary(request.headers['content-type']);
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
    body: body.length === 0 ? null : body.toString(isBase64Encoded ? 'base64' : 'utf8'),
    isBase64Encoded: isBase64Encoded && body.length > 0,
  };
}

/** Returns null for no entries. `fromEntries` creates own properties even for names like `__proto__`. */
const orNull = <T>(entries: [string, T][]) => (entries.length === 0 ? null : Object.fromEntries(entries));

const isBinary = (contentType = '') => {
  const [mediaType = ''] = contentType.split(';');
  return BINARY_MEDIA_TYPES.some((binary) => binary === mediaType.trim());
};

/** The client's address, without the IPv6 prefix that a dual-stack socket adds to IPv4 addresses. */
export const sourceIpOf = ({ socket }: IncomingMessage): string =>
  (socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '');

/**
 * Keeps the client's spelling of names and all values of repeated headers. Appends the client's address to
 * `X-Forwarded-For`, and sets the other headers that API Gateway sets.
 */
function collectHeaders({ rawHeaders, headers }: IncomingMessage, sourceIp: string): Map<string, string[]> {
  const headersByName = new Map<string, string[]>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (name.toLowerCase() === 'x-forwarded-for') continue;
    const values = headersByName.get(name);
    if (values) values.push(value);
    else headersByName.set(name, [value]);
  }
  const forwardedFor = headers['x-forwarded-for'];
  headersByName.set('X-Forwarded-For', [
    forwardedFor === undefined ? sourceIp : `${String(forwardedFor)}, ${sourceIp}`,
  ]);
  headersByName.set('X-Forwarded-Proto', ['http']);
  const hex = randomUUID().replaceAll('-', '');
  headersByName.set('X-Amzn-Trace-Id', [`Root=1-${hex.slice(0, 8)}-${hex.slice(8)}`]);
  return headersByName;
}

type RequestDetails = {
  template: string;
  method: string;
  path: string;
  requestId: string;
  sourceIp: string;
  arrivedAt: Date;
};

function requestContext(
  request: IncomingMessage,
  { template, method, path, requestId, sourceIp, arrivedAt }: RequestDetails,
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
    // The caller can choose this id, see `REQUEST_ID_HEADER`.
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
