import type * as z from 'zod/mini';
import type { HttpErrorStatus } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
type SuccessStatus = 200 | 201;

/**
 * How the request body is parsed. `json-beacon` also accepts JSON as `text/plain`, so that browser beacons need no
 * preflight. `multipart` accepts `multipart/form-data` and the operation's JSON variant of the form.
 */
export type BodyKind = 'none' | 'json' | 'json-beacon' | 'multipart';

/** Maximum requests to all organization routes together, per minute and client IP. The WAF enforces this limit. */
export const ORGANIZATION_REQUESTS_PER_MINUTE_AND_IP = 1_200;

type FunctionResources = {
  timeoutSeconds: number;
  memoryMb: number;
  /** Reserved concurrency of the function in production. Set it if executions call a paid language model. */
  reservedConcurrency?: number;
};

type RequestRateLimits = {
  /** Requests per minute and user, counted exactly. Organization routes only. */
  perMinutePerUser?: number;
  /** Requests per client network, counted exactly. Public routes only. */
  perClient?: readonly { limit: number; windowSeconds: number }[];
  /**
   * Requests per minute and client IP, counted approximately. In a deployment, the WAF counts them. The local gateway
   * counts them in memory. Every public route needs this limit. Organization routes share
   * `ORGANIZATION_REQUESTS_PER_MINUTE_AND_IP`.
   */
  wafPerMinutePerIp?: number;
  /** Whether `wafPerMinutePerIp` applies to each funnel separately instead of to the whole route. */
  wafPerFunnel?: boolean;
};

type BodyLimits = {
  /** Maximum size of a signed JSON body. The limit of all other JSON bodies is `JSON_BODY_BYTES_MAX`. */
  bodyBytesMax?: number;
  /** Maximum size of a `multipart` body, including boundaries and part headers. */
  formBytesMax?: number;
  /** Maximum size of the file in a `multipart` body. For a larger file, clients send the JSON variant. */
  fileBytesMax?: number;
};

type OperationExamples = {
  request: {
    path?: Readonly<Record<string, unknown>>;
    query?: Readonly<Record<string, unknown>>;
    headers?: Readonly<Record<string, unknown>>;
    body?: unknown;
    /** The parts of a `multipart` body. The file is written as a string. */
    form?: Readonly<Record<string, unknown>>;
  };
  response: unknown;
};

/** Declaration of an operation. `functions/declare-operation.ts` binds the type parameters. */
export type OperationDeclaration<
  Role extends string = string,
  Grant extends string = string,
  Tag extends string = string,
> = {
  route: `${Method} /api/v2/${string}`;
  /** A second path of the operation, with the same path parameters. All limits count both paths together. */
  alternativePath?: `/api/v2/${string}`;
  tag: Tag;
  summary: string;
  description?: string;
  /** `public`, or the lowest role that may call the operation. */
  auth: 'public' | { role: Role };
  /** Name of the header with the signature of the body. The signature authenticates the sender (`signedEndpoint`). */
  signatureHeader?: string;
  body: BodyKind;
  /** Top-level properties of the body. If one is nested too deeply, it is dropped, and the request is not rejected. */
  optionalMetadata?: readonly string[];
  request: {
    path: z.ZodMiniObject;
    query?: z.ZodMiniObject;
    body?: z.ZodMiniType;
    headers?: z.ZodMiniObject;
    /** The parts of a `multipart` body. With `form`, `body` is the schema of the JSON variant. */
    form?: z.ZodMiniObject;
  };
  responses: Partial<Record<SuccessStatus, z.ZodMiniType>>;
  /** Statuses of errors. `errorStatusesOf` adds other statuses, such as 429, and 503 for organization routes. */
  errors: readonly HttpErrorStatus[];
  /**
   * Schemas of error bodies that differ from `ApiError`. Wrap them in `docsOnly`, because error bodies are not
   * validated.
   */
  errorSchemas?: Partial<Record<HttpErrorStatus, z.ZodMiniType>>;
  /** Permissions of the function's role, in addition to those for authorization and rate limits. */
  grants: readonly Grant[];
  limits: FunctionResources & RequestRateLimits & BodyLimits;
  /** A request and its successful response for the OpenAPI document. Wrap them in `docsOnly`. */
  examples?: OperationExamples;
  /** Whether the successful response is an HTML page for people. */
  isPage?: true;
  /** Content types of a streamed successful response. The `Accept` header chooses one; the first is the default. */
  streamContentTypes?: readonly ['text/plain', 'text/event-stream'];
  /**
   * Whether the response allows the origin of the request by name, with credentials. Beacons need this,
   * because browsers send beacons in credentials mode even if there are no cookies.
   */
  credentialedCors?: boolean;
  /**
   * If set, the response has a weak ETag that is computed from path, query and response. A request with a matching
   * `If-None-Match` gets a 304. `ignoredProperties` are properties of the response that are not part of the ETag,
   * because they change with time.
   */
  etag?: { ignoredProperties: readonly string[] };
  /** Whether the function needs the DuckDB layer. */
  duckdb?: boolean;
};

export type Operation<D extends OperationDeclaration = OperationDeclaration> = D & {
  /** `<area>/<name>`, the folder below `functions/`. Bundle and log group are named after it. */
  readonly id: string;
  readonly method: Method;
  readonly path: string;
};

/**
 * Creates an operation from its declaration. The Lambda function, its role, the API Gateway method, OpenAPI, the local
 * route and the contract tests are derived from it.
 *
 * @param id the folder below `functions/`, for example `funnel/submit`
 */
export function createOperation<const D extends OperationDeclaration>(id: string, declaration: D): Operation<D> {
  const [method, path] = declaration.route.split(' ') as [Method, string];
  return Object.freeze({ ...declaration, id, method, path });
}

export const pathsOf = ({ path, alternativePath }: Pick<Operation, 'path' | 'alternativePath'>): string[] =>
  alternativePath === undefined ? [path] : [path, alternativePath];

/**
 * Returns all error statuses of an operation: the declared statuses, and those that follow from its method of
 * authentication and its kind of body (ADR 0022).
 */
export const errorStatusesOf = ({ errors, body, auth }: Operation): ReadonlySet<HttpErrorStatus> =>
  new Set([
    ...errors,
    ...([405, 429, 500] as const),
    ...(body === 'none' ? [] : ([413, 415] as const)),
    // Membership is read from a table, which can be unavailable.
    ...(auth === 'public' ? [] : ([503] as const)),
  ]);

/** Returns the only success status of an operation. */
export function successStatus(operation: Operation): SuccessStatus {
  return operation.responses[201] === undefined ? 200 : 201;
}
