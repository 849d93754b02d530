import { type AwsRequest, parseSignature } from '../requests/aws-request.ts';
import { EXTENSION, readsBody } from '../requests/required-permissions.ts';
import { PSEUDO_PARAMETERS } from '../resolve-template.ts';
import { allowConnections } from './block-raw-sockets.ts';
import type { EvaluationHooks } from './hooks.ts';

/** `fetch` goes to the network by itself: signed calls, and those of the secrets extension, are judged before. */
export function interceptFetch(guarded: EvaluationHooks): void {
  const real = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const id = guarded.runningFunction();
    const aws = id === undefined ? undefined : awsRequestIn(input, init);
    if (id === undefined || aws === undefined) return allowConnections(() => real(input, init));
    const verdict = await guarded.evaluate(id, aws, () => Promise.reject(new Error('Tags are not looked at here.')));
    if (verdict.allowed) return allowConnections(() => real(input, init));
    const { status, headers, body } = guarded.deny(aws, verdict.sentence);
    return new Response(body, { status, headers });
  };
}

type Given = Parameters<typeof fetch>;

function awsRequestIn(input: Given[0], init: Given[1]): AwsRequest | undefined {
  const request = input instanceof Request ? input : undefined;
  const headers = new Headers(init?.headers ?? request?.headers);
  const { host, pathname, search } = new URL(request?.url ?? String(input));
  const signed = headers.has('x-aws-parameters-secrets-token')
    ? { service: EXTENSION, region: PSEUDO_PARAMETERS.region }
    : parseSignature(headers.get('authorization') ?? '', search);
  if (signed === undefined) return undefined;
  const method = init?.method ?? request?.method ?? 'GET';
  const head = { ...signed, method, host, target: `${pathname}${search}`, headers: Object.fromEntries(headers) };
  const body = init?.body;
  if (readsBody(head) && typeof body !== 'string') throw new Error('A signed fetch must have a string for its body.');
  return { ...head, body: typeof body === 'string' ? body : '' };
}
