import { type AwsRequest, parseSignature } from '../../../infra/policies/requests/aws-request.ts';
import { requiredPermissions } from '../../../infra/policies/requests/required-permissions.ts';
import type { RequiredPermission } from '../../../infra/policies/statement.ts';

type SdkRequest = {
  method: string;
  hostname: string;
  path: string;
  query: Record<string, string | string[] | null>;
  headers: Record<string, string>;
  body?: string | Uint8Array;
};

type Client = { send(command: never): Promise<unknown> };
type Settings = {
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
  maxAttempts: 1;
  requestHandler: { handle(request: unknown): Promise<never> };
};

/** Returns the request that the SDK's client would send for a command, byte for byte, without sending it. */
export async function getRequest(
  Client: new (settings: Settings) => Client,
  command: object,
  region = 'eu-central-1',
): Promise<AwsRequest> {
  let captured: SdkRequest | undefined;
  const handle = (request: unknown): Promise<never> => {
    captured = request as SdkRequest;
    return Promise.reject(new Error('Captured.'));
  };
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new Client({ region, credentials, maxAttempts: 1, requestHandler: { handle } });
  await client.send(command as never).catch(() => undefined);
  if (captured === undefined) throw new Error('The client sends no request.');
  const { method, hostname, path, query, body = '' } = captured;
  const headers = Object.fromEntries(
    Object.entries(captured.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const signature = parseSignature(headers.authorization ?? '');
  if (signature === undefined) throw new Error('The request is not signed.');
  return { ...signature, method, host: hostname, target: `${path}${queryText(query)}`, headers, body: textOf(body) };
}

const textOf = (body: string | Uint8Array): string => (typeof body === 'string' ? body : Buffer.from(body).toString());

function queryText(query: SdkRequest['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((text) => (text === null ? name : `${name}=${encodeURIComponent(text)}`)),
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Formats a permission as `action resource`, with its context if there is one. */
export const formatPermission = ({ action, resource, context }: RequiredPermission): string =>
  [action, resource.replace('arn:aws:', ''), ...(context ? [JSON.stringify(context)] : [])].join(' ');

export const getPermissions = (request: AwsRequest): string[] =>
  requiredPermissions(request).permissions.map(formatPermission);
