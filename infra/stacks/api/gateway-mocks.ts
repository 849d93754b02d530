import {
  ContentHandling,
  type IResource,
  type Method,
  MockIntegration,
  PassthroughBehavior,
  Resource,
  ResponseType,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { explain } from '../../nag/acknowledge-findings.ts';
import {
  allowedMethods,
  GATEWAY_HEADERS,
  GATEWAY_RESPONSES,
  type GatewayResponse,
  preflightHeaders,
} from './gateway-responses.ts';

/**
 * Content types for which mock integrations have a request template. For all other types, the gateway responds with
 * `UNSUPPORTED_MEDIA_TYPE`, so the list contains the types that clients usually send.
 */
const CONTENT_TYPES = [
  'application/json',
  'application/octet-stream',
  'application/pdf',
  'application/x-www-form-urlencoded',
  'application/xml',
  'image/jpeg',
  'image/png',
  'multipart/form-data',
  'text/html',
  'text/plain',
  'text/xml',
];

/**
 * The request id that functions log. It is not `context.requestId`, because callers could choose that id with the
 * header x-amzn-RequestId.
 */
const REQUEST_ID = { 'x-request-id': 'context.extendedRequestId' };

const RESPONSES: readonly [ResponseType, GatewayResponse][] = [
  // A REST API uses this type if it finds no method, for example for a path that no `{proxy+}` covers.
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, GATEWAY_RESPONSES.pathNotFound],
  [ResponseType.RESOURCE_NOT_FOUND, GATEWAY_RESPONSES.pathNotFound],
  [ResponseType.BAD_REQUEST_BODY, GATEWAY_RESPONSES.badRequest],
  [ResponseType.BAD_REQUEST_PARAMETERS, GATEWAY_RESPONSES.badRequest],
  [ResponseType.ACCESS_DENIED, GATEWAY_RESPONSES.forbidden],
  [ResponseType.EXPIRED_TOKEN, GATEWAY_RESPONSES.forbidden],
  [ResponseType.INVALID_API_KEY, GATEWAY_RESPONSES.forbidden],
  [ResponseType.INVALID_SIGNATURE, GATEWAY_RESPONSES.forbidden],
  [ResponseType.UNAUTHORIZED, GATEWAY_RESPONSES.forbidden],
  [ResponseType.REQUEST_TOO_LARGE, GATEWAY_RESPONSES.payloadTooLarge],
  // Only mock integrations check the content type. A function receives every type.
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, GATEWAY_RESPONSES.methodNotAllowedForType],
  [ResponseType.QUOTA_EXCEEDED, GATEWAY_RESPONSES.rateLimited],
  [ResponseType.THROTTLED, GATEWAY_RESPONSES.rateLimited],
  [ResponseType.WAF_FILTERED, GATEWAY_RESPONSES.rateLimited],
  [ResponseType.API_CONFIGURATION_ERROR, GATEWAY_RESPONSES.internalError],
  [ResponseType.AUTHORIZER_CONFIGURATION_ERROR, GATEWAY_RESPONSES.internalError],
  [ResponseType.AUTHORIZER_FAILURE, GATEWAY_RESPONSES.internalError],
  [ResponseType.INTEGRATION_FAILURE, GATEWAY_RESPONSES.integrationFailed],
  [ResponseType.INTEGRATION_TIMEOUT, GATEWAY_RESPONSES.integrationTimedOut],
  [ResponseType.DEFAULT_4XX, GATEWAY_RESPONSES.badRequest],
  [ResponseType.DEFAULT_5XX, GATEWAY_RESPONSES.internalError],
];

/**
 * Types that apply to all errors without a type of their own. Gateway responses of these types set no status, so that
 * each error keeps its own status.
 */
const KEEPS_STATUS = new Set([ResponseType.DEFAULT_4XX, ResponseType.DEFAULT_5XX]);

/** Gives API Gateway's own responses the format of the service's errors. */
export function shapeGatewayResponses(api: RestApi): void {
  for (const [type, response] of RESPONSES) {
    api.addGatewayResponse(type.responseType, {
      type,
      ...(!KEEPS_STATUS.has(type) && { statusCode: String(response.status) }),
      responseHeaders: { ...quoted({ ...GATEWAY_HEADERS, ...response.headers }), ...REQUEST_ID },
      templates: { 'application/json': bodyOf(response) },
    });
  }
}

/** Adds a 405 for every method that the resource does not support. */
export function addMethodNotAllowed(resource: Resource, methods: readonly string[]): void {
  const response = GATEWAY_RESPONSES.methodNotAllowed;
  const headers = { ...GATEWAY_HEADERS, Allow: allowedMethods(methods) };
  const reason = 'The method reaches no function. The gateway itself returns the same 405 to every caller.';
  explain(addMock(resource, 'ANY', response.status, headers, bodyOf(response)), { APIG4: reason, COG4: reason });
}

/**
 * Adds a 404 for every unknown path at and below this resource. Without it, API Gateway would respond 403, because it
 * would interpret a bearer token as a malformed AWS signature. The method `ANY` covers the path of a resource. A child
 * `{proxy+}` covers the paths below, but only below its own resource. If a child is a path variable, `{proxy+}` is
 * omitted, because API Gateway allows only one path variable in this place.
 */
export function addUnknownPathResponse(resource: IResource): void {
  const children = resource.node.children.filter((child) => child instanceof Resource);
  if (resource.node.tryFindChild('ANY') === undefined) refusePath(resource);
  if (!children.some(({ path }) => path.endsWith('}'))) refusePath(resource.addResource('{proxy+}'));
  for (const child of children) addUnknownPathResponse(child);
}

function refusePath(resource: IResource): void {
  const response = GATEWAY_RESPONSES.pathNotFound;
  const reason = 'The path reaches no function. The gateway itself returns the same 404 to every caller.';
  const method = addMock(resource, 'ANY', response.status, GATEWAY_HEADERS, bodyOf(response));
  explain(method, { APIG4: reason, COG4: reason });
}

/** @param origins allowed origins, or only `*`. If the list is empty, no origin is allowed. */
export function addPreflightResponses(
  resource: Resource,
  methods: readonly string[],
  origins: readonly string[],
): void {
  const [first = '', ...others] = origins;
  const headers = preflightHeaders(first, methods);
  if (others.length === 0) addMock(resource, 'OPTIONS', 204, headers);
  else addMock(resource, 'OPTIONS', 204, { ...headers, Vary: 'Origin' }, allowAlso(others));
}

/**
 * Access-Control-Allow-Origin can contain only one origin. By default, the response contains the first allowed origin.
 * If the caller's origin is another allowed origin, this template writes the caller's origin into the response.
 */
function allowAlso(origins: readonly string[]): string {
  return [
    "#set($origin = $input.params().header.get('Origin'))",
    "#if(!$origin)#set($origin = $input.params().header.get('origin'))#end",
    `#if(${origins.map((origin) => `$origin == '${origin}'`).join(' || ')})`,
    '#set($context.responseOverride.header.Access-Control-Allow-Origin = $origin)#end',
  ].join('');
}

function addMock(
  resource: IResource,
  method: string,
  status: number,
  headers: Record<string, string>,
  template?: string,
): Method {
  const statusCode = String(status);
  const sent = prefixed({ ...quoted(headers), ...REQUEST_ID });
  const integration = new MockIntegration({
    passthroughBehavior: PassthroughBehavior.NEVER,
    // Converts bodies to text, because templates do not apply to binary bodies.
    contentHandling: ContentHandling.CONVERT_TO_TEXT,
    requestTemplates: Object.fromEntries(CONTENT_TYPES.map((type) => [type, `{"statusCode":${statusCode}}`])),
    integrationResponses: [
      {
        statusCode,
        responseParameters: sent,
        ...(template !== undefined && { responseTemplates: { 'application/json': template } }),
      },
    ],
  });
  const responseParameters = Object.fromEntries(Object.keys(sent).map((name) => [name, true]));
  return resource.addMethod(method, integration, { methodResponses: [{ statusCode, responseParameters }] });
}

const bodyOf = ({ code, message }: GatewayResponse): string => JSON.stringify({ error: { code, message } });

/** Quotes static values for the gateway's parameter mapping. Headers with an empty value are omitted. */
const quoted = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === '' ? [] : [[name, `'${value}'`]])));

const prefixed = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [`method.response.header.${name}`, value]));
