/** A request to an AWS service, before it is sent. */
export type AwsRequest = {
  /** Name of the service in the signature, for example `dynamodb`, or `SECRETS_EXTENSION`. */
  service: string;
  region: string;
  method: string;
  host: string;
  /** Path and query, as sent. */
  target: string;
  /** Values by header name in lower case. */
  headers: Readonly<Record<string, string>>;
  /** May be empty if the required permissions don't depend on the body, see `needsBody`. */
  body: string;
};

/** Error for a request whose required permissions are not known. Such a request is denied. */
export class UnknownRequest extends Error {
  constructor(what: string) {
    super(`The permissions for ${what} are not known. Look them up and add them to infra/policies/requests.`);
    this.name = 'UnknownRequest';
  }
}

const CREDENTIAL_IN_HEADER = /^AWS4-HMAC-SHA256\s+Credential=([^,\s]+)/;
const CREDENTIAL_IN_QUERY = /[?&]X-Amz-Credential=([^&]+)/i;
const CREDENTIAL_SCOPE = /^[^/]+\/\d{8}\/([\w-]+)\/([\w-]+)\/aws4_request$/;

/**
 * Reads the service and the region from a signature in the header or, for a presigned URL, in the query. Returns
 * undefined for an unsigned request. For an AWS signature in another format, the service is `unknown signature`, so
 * that the request is denied.
 */
export function parseSignature(authorization: string, target = ''): { service: string; region: string } | undefined {
  const [, credential] = CREDENTIAL_IN_HEADER.exec(authorization) ?? CREDENTIAL_IN_QUERY.exec(target) ?? [];
  if (credential === undefined && !authorization.startsWith('AWS')) return undefined;
  const [, region = '', service = 'unknown signature'] =
    CREDENTIAL_SCOPE.exec(decodeURIComponent(credential ?? '')) ?? [];
  return { service, region };
}

export function splitTarget({ target }: Pick<AwsRequest, 'target'>): { path: string; query: URLSearchParams } {
  const queryStart = target.indexOf('?');
  return queryStart < 0
    ? { path: target, query: new URLSearchParams() }
    : { path: target.slice(0, queryStart), query: new URLSearchParams(target.slice(queryStart + 1)) };
}

/** Returns the name of the operation in the header `X-Amz-Target`. */
export const operationName = ({ headers }: AwsRequest): string => (headers['x-amz-target'] ?? '').replace(/^.*\./, '');
