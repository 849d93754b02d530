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

const SCOPE = /^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/([\w-]+)\/([\w-]+)\/aws4_request\b/;

/** The service and region that a request is signed for; undefined for one without a signature of AWS's. */
export function signedFor(authorization: string): { service: string; region: string } | undefined {
  const [, region, service] = SCOPE.exec(authorization) ?? [];
  return region === undefined || service === undefined ? undefined : { service, region };
}

export function pathAndQuery({ target }: Pick<AwsRequest, 'target'>): { path: string; query: URLSearchParams } {
  const at = target.indexOf('?');
  return at < 0
    ? { path: target, query: new URLSearchParams() }
    : { path: target.slice(0, at), query: new URLSearchParams(target.slice(at + 1)) };
}

/** The operation of a protocol that names it in `X-Amz-Target`. */
export const operationOf = ({ headers }: AwsRequest): string => (headers['x-amz-target'] ?? '').replace(/^.*\./, '');
