import type * as z from 'zod/mini';
import type { ServiceOperation } from '../../functions/declare-operation.ts';
import { HttpError, type HttpErrorStatus } from '../../shared/http/errors.ts';
import {
  errorStatusesOf,
  type Operation,
  ORGANIZATION_REQUESTS_PER_MINUTE_AND_IP,
  successStatus,
} from '../../shared/http/operation.ts';
import { ApiError } from '../../shared/http/schemas.ts';
import { headersOf, RESPONSE_HEADERS } from './response-headers.ts';
import { type Json, SchemaComponents } from './schema-components.ts';
import { describeWebhooks } from './webhook-messages.ts';

const DEFAULT_STATUS_DESCRIPTIONS: Record<HttpErrorStatus, string> = {
  400: 'Bad request: the message names the path of the invalid value',
  401: 'Unauthorized: no valid access token',
  403: 'Forbidden',
  404: 'Not found, or in another organization',
  405: 'Method not allowed; see `Allow`',
  413: 'The body is larger than the limit of this operation',
  415: 'Unsupported media type',
  422: 'Some fields are not valid; the valid fields are saved',
  429: 'Rate limited; see `Retry-After`',
  500: 'Internal error',
  502: 'The model failed before its first token',
  503: 'Not available right now; see `Retry-After`',
};

const SERVICE_DESCRIPTION =
  'Operations under `/api/v2/organizations` need the access token of a member of the organization. Operations under ' +
  '`/api/v2/public` need no token.';

const TAG_DESCRIPTIONS: Record<ServiceOperation['tag'], string> = {
  Funnel: 'Requests from the pages of a funnel',
  Training: 'Cases, sessions and scored calls',
  'Landing pages': 'Copies of landing pages, within an organization and between organizations',
  Domains: 'Custom domains and their removal',
  Analytics: 'Counts of sessions, starts and completions',
  Webhooks: 'Endpoints that receive signed messages, and test messages',
  Notifications: 'E-mail addresses that receive mails about leads',
};

const UNSIGNED = 'Unauthorized: the body has no valid and recent signature';

const errorStatuses = (declared: Operation): HttpErrorStatus[] => [...errorStatusesOf(declared)].sort((a, b) => a - b);

/** Builds the OpenAPI 3.1 document from the declarations of the operations. */
export function buildOpenApiDocument(operations: readonly Operation[]): Json {
  const components = new SchemaComponents();
  const paths: Record<string, Json> = {};
  for (const declared of operations) {
    paths[declared.path] = { ...paths[declared.path], [declared.method.toLowerCase()]: describe(declared, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Funnel, Training and Organization Service',
      version: '2.0.0',
      description: SERVICE_DESCRIPTION,
    },
    servers: [{ url: '/' }],
    tags: Object.entries(TAG_DESCRIPTIONS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: describeWebhooks(components),
    components: {
      responses: sharedErrors(operations, components),
      headers: RESPONSE_HEADERS,
      schemas: components.all(),
      securitySchemes: {
        accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        ...Object.fromEntries(operations.flatMap(signatureScheme)),
      },
    },
  };
}

function describe(declared: Operation, components: SchemaComponents): Json {
  const { body } = declared.request;
  return {
    operationId: operationId(declared),
    tags: [declared.tag],
    summary: declared.summary,
    description: [declared.description, alternativePathOf(declared), roleOf(declared), limitsOf(declared).join(' ')]
      .filter(Boolean)
      .join('\n\n'),
    security: securityOf(declared),
    parameters: parametersOf(declared, components),
    ...(body === undefined ? {} : { requestBody: { required: true, content: contents(declared, body, components) } }),
    responses: responsesOf(declared, components),
  };
}

const operationId = ({ id }: Operation): string => id.replace(/\W(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Returns a name for the schema of a body, for example `FunnelSubmitResponse`. Not needed if the schema has a name. */
function bodyName(declared: Operation, what: string): string {
  const id = operationId(declared);
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}${what}`;
}

function securityOf(declared: Operation): Json[] {
  if (declared.auth !== 'public') return [{ accessToken: [] }];
  return signatureScheme(declared).map(([name]) => ({ [name]: [] }));
}

/** Each operation with signed requests has its own security scheme, because each operation has its own secret. */
function signatureScheme(declared: Operation): [string, Json][] {
  const { signatureHeader } = declared;
  if (signatureHeader === undefined) return [];
  const description = '`t=<unix seconds>,v0=<hex>`: HMAC-SHA256 of `<t>.<body as sent>` with the shared secret.';
  return [[`${operationId(declared)}Signature`, { type: 'apiKey', in: 'header', name: signatureHeader, description }]];
}

/**
 * Returns a sentence about the alternative path. The document has no path item for this path, because generated clients
 * would get a second method for the same operation.
 */
const alternativePathOf = ({ alternativePath }: Operation): string =>
  alternativePath === undefined
    ? ''
    : `Also available at \`${alternativePath}\`, unless the deployment has another path (setting \`ingestPath\`).`;

const roleOf = ({ auth }: Operation): string => (auth === 'public' ? '' : `Needs the role \`${auth.role}\` or higher.`);

function limitsOf({ auth, limits }: Operation): string[] {
  const {
    perMinutePerUser,
    wafPerMinutePerIp: perMinutePerIp,
    wafPerFunnel: perFunnel,
    perClient: perAddress = [],
    bodyBytesMax,
  } = limits;
  const texts = [
    perMinutePerUser === undefined ? '' : `At most ${perMinutePerUser} requests per minute and user.`,
    auth === 'public'
      ? ''
      : `At most ${ORGANIZATION_REQUESTS_PER_MINUTE_AND_IP} requests per minute and IP to all organization routes together.`,
    perMinutePerIp === undefined
      ? ''
      : `At most ${perMinutePerIp} requests per minute and IP${perFunnel ? ' and funnel' : ''}.`,
    bodyBytesMax === undefined ? '' : `The body can have at most ${bodyBytesMax} bytes.`,
    ...perAddress.map(({ limit, windowSeconds }) => `At most ${limit} requests per ${windowSeconds} s and IP.`),
  ];
  return texts.filter(Boolean);
}

function contents(declared: Operation, body: z.ZodMiniType, components: SchemaComponents): Json {
  const schema = components.named(bodyName(declared, 'Request'), body, 'input');
  const { form } = declared.request;
  const { body: example, form: formExample } = declared.examples?.request ?? {};
  return {
    ...(form && {
      'multipart/form-data': {
        schema: components.named(bodyName(declared, 'Form'), form, 'input'),
        ...shownExample(formExample),
      },
    }),
    'application/json': { schema, ...shownExample(example) },
    ...(declared.body === 'json-beacon' && {
      'text/plain': { schema: { type: 'string', contentSchema: schema }, ...shownExample(JSON.stringify(example)) },
    }),
  };
}

const shownExample = (example: unknown): Json => (example === undefined ? {} : { example });

function parametersOf({ request, etag: revalidates, examples }: Operation, components: SchemaComponents): Json[] {
  const locations = [
    ['path', request.path, examples?.request.path],
    ['query', request.query, examples?.request.query],
    ['header', request.headers, examples?.request.headers],
  ] as const;
  const declared = locations.flatMap(([location, schema, example]) => {
    if (schema === undefined) return [];
    const { properties = {}, required = [] } = components.of(schema, 'input') as {
      properties?: Json;
      required?: string[];
    };
    return Object.entries(properties).map(([name, described]) => ({
      ...parameter(location, name, described as Json, required),
      ...shownExample(example?.[name]),
    }));
  });
  return revalidates === undefined ? declared : [...declared, IF_NONE_MATCH];
}

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description:
    'The ETag of an earlier response to the same query. The status is 304 if that response is still current.',
  schema: { type: 'string' },
};

function parameter(location: string, name: string, { description, ...schema }: Json, required: string[]): Json {
  return {
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  };
}

function responsesOf(declared: Operation, components: SchemaComponents): Json {
  const success = successStatus(declared);
  const body = declared.responses[success];
  return {
    [success]: {
      description: 'Success',
      headers: headersOf(declared, success),
      ...(body === undefined ? {} : { content: responseContents(declared, body, components) }),
    },
    ...(declared.etag && {
      304: {
        description: 'Not modified: the cached response is still current',
        headers: headersOf(declared, 304),
      },
    }),
    ...Object.fromEntries(
      errorStatuses(declared).map((status) => [
        status,
        isShared(declared, status)
          ? { $ref: `#/components/responses/Error${status}` }
          : errorResponse(declared, status, components),
      ]),
    ),
  };
}

function responseContents(declared: Operation, body: z.ZodMiniType, components: SchemaComponents): Json {
  const schema = components.named(bodyName(declared, 'Response'), body, 'output');
  const { response } = declared.examples ?? {};
  const types: readonly string[] = declared.streamContentTypes ?? [declared.isPage ? 'text/html' : 'application/json'];
  return Object.fromEntries(
    types.map((type) => [type, { schema, ...(type !== 'text/event-stream' && shownExample(response)) }]),
  );
}

/** Returns the error responses that operations share, so that each shared response appears once in the document. */
function sharedErrors(operations: readonly Operation[], components: SchemaComponents): Json {
  const shared = operations.flatMap((declared) =>
    errorStatuses(declared)
      .filter((status) => isShared(declared, status))
      .map((status) => [`Error${status}`, errorResponse(declared, status, components)] as const),
  );
  return Object.fromEntries(shared);
}

const isShared = ({ errorSchemas: errorShapes, signatureHeader }: Operation, status: HttpErrorStatus): boolean =>
  errorShapes?.[status] === undefined && !(status === 401 && signatureHeader !== undefined);

function errorResponse(declared: Operation, status: HttpErrorStatus, components: SchemaComponents): Json {
  const shape = declared.errorSchemas?.[status] ?? ApiError;
  const schema = components.named(bodyName(declared, `Error${status}`), shape, 'output');
  // The example is undefined if the schema requires properties that `errorBody` does not return.
  const { data: example } = shape.safeParse(errorBody(status));
  return {
    description: status === 401 && declared.signatureHeader ? UNSIGNED : DEFAULT_STATUS_DESCRIPTIONS[status],
    headers: headersOf(declared, status),
    content: {
      'application/json': { schema, ...shownExample(example) },
    },
  };
}

function errorBody(status: HttpErrorStatus) {
  const { code, message } = new HttpError(status, 'A sentence for the developer of the client.');
  return { error: { code, message } };
}
