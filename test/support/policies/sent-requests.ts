import { type AwsRequest, parseSignature } from '../../../infra/policies/requests/aws-request.ts';
import { requiredPermissions } from '../../../infra/policies/requests/required-permissions.ts';
import type { RequiredPermission } from '../../../infra/policies/statement.ts';

type Sent = {
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
  requestHandler: { handle(sent: unknown): Promise<never> };
};

class Caught extends Error {}

/** What the SDK's client would send for a command, to the byte; nothing goes out. */
export async function requestOf(
  Client: new (settings: Settings) => Client,
  command: object,
  region = 'eu-central-1',
): Promise<AwsRequest> {
  let caught: Sent | undefined;
  const handle = (sent: unknown): Promise<never> => {
    caught = sent as Sent;
    return Promise.reject(new Caught());
  };
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new Client({ region, credentials, maxAttempts: 1, requestHandler: { handle } });
  await client.send(command as never).catch(() => undefined);
  if (caught === undefined) throw new Error('Nothing would be sent.');
  const { method, hostname, path, query, body = '' } = caught;
  const headers = Object.fromEntries(
    Object.entries(caught.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const signed = parseSignature(headers.authorization ?? '');
  if (signed === undefined) throw new Error('It is not signed.');
  return { ...signed, method, host: hostname, target: `${path}${queryText(query)}`, headers, body: textOf(body) };
}

const textOf = (body: string | Uint8Array): string => (typeof body === 'string' ? body : Buffer.from(body).toString());

function queryText(query: Sent['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => (one === null ? name : `${name}=${encodeURIComponent(one)}`)),
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** `action resource`, with the context where there is one. */
export const inShort = ({ action, resource, context }: RequiredPermission): string =>
  [action, resource.replace('arn:aws:', ''), ...(context ? [JSON.stringify(context)] : [])].join(' ');

export const demandsIn = (request: AwsRequest): string[] => requiredPermissions(request).permissions.map(inShort);
