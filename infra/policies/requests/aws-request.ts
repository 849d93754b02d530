/** A request as it goes to an AWS service. */
export type AwsRequest = {
  /** As its signature names them: `dynamodb`, `s3`, `eu-central-1` … */
  service: string;
  region: string;
  method: string;
  host: string;
  /** Path and query, as sent. */
  target: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Empty where the mapping needs none of it, see `readsBody`. */
  body: string;
};

/** A request of which nobody here knows what permissions it takes: it is refused until somebody has looked it up. */
export class UnknownRequest extends Error {
  constructor(what: string) {
    super(`What permissions ${what} takes is not known here: look it up and add it to infra/policies/requests.`);
    this.name = 'UnknownRequest';
  }
}

const IN_HEADER = /^AWS4-HMAC-SHA256\s+Credential=([^,\s]+)/;
const IN_QUERY = /[?&]X-Amz-Credential=([^&]+)/i;
const SCOPE = /^[^/]+\/\d{8}\/([\w-]+)\/([\w-]+)\/aws4_request$/;

/**
 * The service and region that a request is signed for, in its header or, as a link is, in its query; undefined for one
 * without a signature of AWS's. What is signed in any other way of AWS's is of a service that nobody knows.
 */
export function parseSignature(authorization: string, target = ''): { service: string; region: string } | undefined {
  const [, credential] = IN_HEADER.exec(authorization) ?? IN_QUERY.exec(target) ?? [];
  if (credential === undefined && !authorization.startsWith('AWS')) return undefined;
  const [, region = '', service = 'unknown signature'] = SCOPE.exec(decodeURIComponent(credential ?? '')) ?? [];
  return { service, region };
}

export function pathAndQuery({ target }: Pick<AwsRequest, 'target'>): { path: string; query: URLSearchParams } {
  const at = target.indexOf('?');
  return at < 0
    ? { path: target, query: new URLSearchParams() }
    : { path: target.slice(0, at), query: new URLSearchParams(target.slice(at + 1)) };
}

/** The operation of a protocol that names it in `X-Amz-Target`. */
export const operationOf = ({ headers }: AwsRequest): string => (headers['x-amz-target'] ?? '').replace(/^.*\./, '');
