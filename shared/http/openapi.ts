import * as z from 'zod/mini';
import { type Operation, ORGANIZATION_REQUESTS_PER_MINUTE_AND_IP, successStatus } from './operation.ts';
import type { ProblemStatus } from './problem.ts';
import { ApiError } from './schemas.ts';

type Json = Record<string, unknown>;

const MEANINGS: Record<ProblemStatus, string> = {
  400: 'Bad request: the message names the path of what is wrong',
  401: 'Unauthorized: no valid access token',
  403: 'Forbidden',
  404: 'Not found, or not yours',
  405: 'Method not allowed; see `Allow`',
  413: 'Larger than this operation takes',
  415: 'Unsupported media type',
  422: 'Some fields are not valid; the others are saved',
  429: 'Rate limited; see `Retry-After`',
  500: 'Internal error',
  502: 'The model failed before its first token',
  503: 'Not available right now; see `Retry-After`',
};

const UNSIGNED = 'Unauthorized: no valid signature of the body, made just now';

/** Answers that any operation can have besides those it lists (decisions 2). */
const always = (declared: Operation): ProblemStatus[] => [
  405,
  429,
  500,
  ...(declared.body === 'none' ? [] : ([413, 415] as const)),
  ...(declared.auth === 'public' ? [] : ([503] as const)),
];

/** The OpenAPI 3.1 document of the operations, from nothing but their declarations. */
export function openApi(operations: readonly Operation[]): Json {
  const paths: Record<string, Json> = {};
  for (const declared of operations) {
    paths[declared.path] = { ...paths[declared.path], [declared.method.toLowerCase()]: describe(declared) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Funnel, Training and Organization Service', version: '2.0.0' },
    servers: [{ url: '/' }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { ApiError: jsonSchema(ApiError, 'output') },
      securitySchemes: {
        accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        ...Object.fromEntries(operations.flatMap(signatureScheme)),
      },
    },
  };
}

function describe(declared: Operation): Json {
  const { body } = declared.request;
  return {
    operationId: operationId(declared),
    tags: [declared.tag],
    summary: declared.summary,
    description: [declared.description, ...conditions(declared)].filter(Boolean).join('\n\n'),
    security: securityOf(declared),
    parameters: parametersOf(declared),
    ...(body === undefined ? {} : { requestBody: { required: true, content: contents(declared, body) } }),
    responses: responsesOf(declared),
  };
}

const operationId = ({ id }: Operation): string => id.replace(/\W(\w)/g, (_, letter: string) => letter.toUpperCase());

function securityOf(declared: Operation): Json[] {
  if (declared.auth !== 'public') return [{ accessToken: [] }];
  return signatureScheme(declared).map(([name]) => ({ [name]: [] }));
}

/** A scheme of its own for each operation whose callers sign what they send: they do not share a secret. */
function signatureScheme(declared: Operation): [string, Json][] {
  const { signatureHeader } = declared;
  if (signatureHeader === undefined) return [];
  const description = '`t=<unix seconds>,v0=<hex>`: HMAC-SHA256 of `<t>.<body as sent>` with the shared secret.';
  return [[`${operationId(declared)}Signature`, { type: 'apiKey', in: 'header', name: signatureHeader, description }]];
}

function conditions({ auth, limits }: Operation): string[] {
  const { perMinutePerUser, perMinutePerIp, perFunnel, perAddress = [], bodyBytesMax } = limits;
  return [
    auth === 'public' ? '' : `Needs the role \`${auth.role}\` or higher.`,
    perMinutePerUser === undefined ? '' : `At most ${perMinutePerUser} calls a minute and user.`,
    auth === 'public'
      ? ''
      : `At most ${ORGANIZATION_REQUESTS_PER_MINUTE_AND_IP} calls a minute and IP to all organization routes together.`,
    perMinutePerIp === undefined
      ? ''
      : `At most ${perMinutePerIp} calls a minute and IP${perFunnel ? ' and funnel' : ''}.`,
    bodyBytesMax === undefined ? '' : `A body of at most ${bodyBytesMax} bytes.`,
    ...perAddress.map(({ limit, windowSeconds }) => `At most ${limit} calls in ${windowSeconds} s and IP.`),
  ];
}

function contents(declared: Operation, body: z.ZodMiniType): Json {
  const schema = jsonSchema(body, 'input');
  const { form } = declared.request;
  return {
    ...(form === undefined ? {} : { 'multipart/form-data': { schema: jsonSchema(form, 'input') } }),
    'application/json': { schema },
    ...(declared.body === 'json-beacon' ? { 'text/plain': { schema: { type: 'string', contentSchema: schema } } } : {}),
  };
}

function parametersOf({ request, revalidates }: Operation): Json[] {
  const places = [
    ['path', request.path],
    ['query', request.query],
    ['header', request.headers],
  ] as const;
  const declared = places.flatMap(([place, schema]) => {
    if (schema === undefined) return [];
    const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
      properties?: Json;
      required?: string[];
    };
    return Object.entries(properties).map(([name, described]) => parameter(place, name, described as Json, required));
  });
  return revalidates === undefined ? declared : [...declared, REVALIDATED.parameter];
}

/** How an answer that its caller may keep is asked for again. */
const REVALIDATED = {
  parameter: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The ETag of an earlier answer to the same query: 304 when it is still right.',
    schema: { type: 'string' },
  },
  headers: {
    ETag: { description: 'Weak: stays as long as no number changes.', schema: { type: 'string' } },
    'Cache-Control': {
      description: 'Kept by who asked alone, and asked for again each time.',
      schema: { const: 'private, no-cache' },
    },
  },
} as const;

function parameter(place: string, name: string, { description, ...schema }: Json, required: string[]): Json {
  return {
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  };
}

function responsesOf(declared: Operation): Json {
  const success = successStatus(declared);
  const reply = declared.replies[success];
  const statuses = [...new Set([...declared.errors, ...always(declared)])].sort((a, b) => a - b);
  const kept = declared.revalidates && { headers: REVALIDATED.headers };
  return {
    [success]: {
      description: 'Success',
      ...kept,
      ...(reply === undefined ? {} : { content: replyContents(declared, reply) }),
    },
    ...(declared.revalidates && { 304: { description: 'Not modified: the answer that is kept is right', ...kept } }),
    ...Object.fromEntries(statuses.map((status) => [status, errorResponse(declared, status)])),
  };
}

function replyContents({ streams }: Operation, reply: z.ZodMiniType): Json {
  const types: readonly string[] = streams ?? ['application/json'];
  return Object.fromEntries(types.map((type) => [type, { schema: jsonSchema(reply, 'output') }]));
}

function errorResponse(declared: Operation, status: ProblemStatus): Json {
  const shape = declared.errorShapes?.[status];
  const schema = shape === undefined ? { $ref: '#/components/schemas/ApiError' } : jsonSchema(shape, 'output');
  const description = status === 401 && declared.signatureHeader ? UNSIGNED : MEANINGS[status];
  const challenged = status === 401 && declared.auth !== 'public';
  return { description, ...(challenged && CHALLENGE), content: { 'application/json': { schema } } };
}

/** A REST API delivers WWW-Authenticate under this name. */
const CHALLENGE = {
  headers: {
    'x-amzn-Remapped-WWW-Authenticate': {
      description: '`WWW-Authenticate`, under the name that API Gateway gives it.',
      schema: { const: 'Bearer' },
    },
  },
};

/** JSON Schema 2020-12, which OpenAPI 3.1 embeds as it is. Transformed texts are described by what they take. */
function jsonSchema(schema: z.ZodMiniType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
