import type * as z from 'zod/mini';
import type { Role } from '../organizations/membership.ts';
import type { Grant } from '../platform/grants.ts';
import type { HttpErrorStatus } from './errors.ts';

export type Method = 'GET' | 'POST' | 'DELETE';
type SuccessStatus = 200 | 201;

/**
 * How the request's body is read. `json-beacon` also takes `text/plain` holding JSON, so that a beacon needs no
 * preflight; `multipart` is `multipart/form-data`, or JSON where the operation has a variant for it.
 */
export type BodyKind = 'none' | 'json' | 'json-beacon' | 'multipart';

/** Requests to all organization routes together, per minute and client IP. The firewall enforces it. */
export const ORGANIZATION_REQUESTS_PER_MINUTE_AND_IP = 1_200;

type Limits = {
  timeoutSeconds: number;
  memoryMb: number;
  /** Executions at a time in production, whoever asks: where each of them costs money. */
  reservedConcurrency?: number;
  /** Requests per minute and user, exact; organization routes only. */
  perMinutePerUser?: number;
  /** Requests per client address, exact: they guard money and people; public routes only. */
  perClient?: readonly { limit: number; windowSeconds: number }[];
  /**
   * Requests per minute and client IP, soft: the firewall deployed, the gateway's memory locally. Every public route
   * has one; organization routes share `ORGANIZATION_REQUESTS_PER_MINUTE_AND_IP`.
   */
  wafPerMinutePerIp?: number;
  /** With `perMinutePerIp`: count each funnel of an IP by itself. */
  wafPerFunnel?: boolean;
  /** The most bytes of a JSON body where they are not those of every other operation. */
  bodyBytesMax?: number;
  /** The most bytes of a `multipart` body, its frame included. */
  formBytesMax?: number;
  /** The most bytes of the file in it; a larger one is announced by the JSON variant. */
  fileBytesMax?: number;
};

type OperationExamples = {
  request: {
    path?: Readonly<Record<string, unknown>>;
    query?: Readonly<Record<string, unknown>>;
    headers?: Readonly<Record<string, unknown>>;
    body?: unknown;
    /** The parts of a `multipart` body; its file is text. */
    form?: Readonly<Record<string, unknown>>;
  };
  response: unknown;
};

export type OperationSpec = {
  /** For example `POST /api/v2/public/funnel/{id}/submit`. */
  route: `${Method} /api/v2/${string}`;
  tag: 'Funnel' | 'Training' | 'Analytics' | 'Landing pages' | 'Domains';
  summary: string;
  description?: string;
  /** `public`, or the least role that may call it. */
  auth: 'public' | { role: Role };
  /** The header by which whoever calls a public operation signs the body, which proves who it is. */
  signatureHeader?: string;
  body: BodyKind;
  /** Members of the body whose faults never fail a request: one that is nested too deep is left out of it. */
  optionalMetadata?: readonly string[];
  request: {
    path: z.ZodMiniObject;
    query?: z.ZodMiniObject;
    body?: z.ZodMiniType;
    headers?: z.ZodMiniObject;
    /** The parts of a `multipart` body; `body` is then its JSON variant. */
    form?: z.ZodMiniObject;
  };
  responses: Partial<Record<SuccessStatus, z.ZodMiniType>>;
  errors: readonly HttpErrorStatus[];
  /** Schemas of error bodies that are not the plain ApiError; `shown`, since no reply is checked against them. */
  errorSchemas?: Partial<Record<HttpErrorStatus, z.ZodMiniType>>;
  grants: readonly Grant[];
  limits: Limits;
  /** A request and the body of its successful response, as the document shows them; `shown`, since no request needs them. */
  examples?: OperationExamples;
  /** Answers with success as a stream, in one of these content types by the request's `Accept`, the first by default. */
  streamContentTypes?: readonly ['text/plain', 'text/event-stream'];
  /** Echo `Origin` with `Allow-Credentials`: beacons carry credentials mode although no cookie exists. */
  credentialedCors?: boolean;
  /**
   * A success may be kept by who asked, and is asked for again each time: it has a weak ETag of path, query and reply, and
   * who still holds what is right gets 304. `apartFrom` are the reply's members that move with the clock while nothing else does.
   */
  etag?: { ignoredProperties: readonly string[] };
  /** Runs DuckDB: carries its layer and enough memory. */
  duckdb?: boolean;
};

export type Operation<S extends OperationSpec = OperationSpec> = S & {
  /** `<area>/<name>`: the folder, the bundle and the log group. */
  readonly id: string;
  readonly method: Method;
  readonly path: string;
};

/**
 * Declares an operation once: the Lambda, its role, the API Gateway method, OpenAPI, the local route and the
 * contract tests all read it from here.
 *
 * @param id the folder below `functions/`, for example `funnel/submit`
 */
export function operation<const S extends OperationSpec>(id: string, spec: S): Operation<S> {
  const [method, path] = spec.route.split(' ') as [Method, string];
  return Object.freeze({ ...spec, id, method, path });
}

/** The single success status an operation answers with. */
export function successStatus(declared: Operation): SuccessStatus {
  return declared.responses[201] === undefined ? 200 : 201;
}

/** What the operation's role may do: what it declares, and what its authentication and limits need. */
export function requiredGrants(declared: OperationSpec): Grant[] {
  const implied: Grant[] = declared.auth === 'public' ? [] : ['members:read'];
  if (declared.limits.perMinutePerUser !== undefined) implied.push('limits:consume');
  if (declared.limits.perClient !== undefined) implied.push('limits:consume', 'hash-secret:read', 'cdn-secret:read');
  return [...new Set([...implied, ...declared.grants])].sort();
}
