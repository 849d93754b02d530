import { asJudged } from './guard-sockets.ts';
import type { Guarded } from './guarded.ts';
import { type AwsRequest, signedFor } from './requests/aws-request.ts';
import { EXTENSION, readsBody } from './requests/demands.ts';
import { PLACE } from './resolve.ts';

/** `fetch` goes to the network by itself: signed calls, and those of the secrets extension, are judged before. */
export function guardFetch(guarded: Guarded): void {
  const real = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const id = guarded.running();
    const aws = id === undefined ? undefined : awsRequestIn(input, init);
    if (id === undefined || aws === undefined) return asJudged(() => real(input, init));
    const verdict = await guarded.verdictOn(id, aws, () => Promise.reject(new Error('Tags are not looked at here.')));
    if (verdict.allowed) return asJudged(() => real(input, init));
    const { status, headers, body } = guarded.refusalOf(aws, verdict.sentence);
    return new Response(body, { status, headers });
  };
}

type Given = Parameters<typeof fetch>;

function awsRequestIn(input: Given[0], init: Given[1]): AwsRequest | undefined {
  const request = input instanceof Request ? input : undefined;
  const headers = new Headers(init?.headers ?? request?.headers);
  const { host, pathname, search } = new URL(request?.url ?? String(input));
  const signed = headers.has('x-aws-parameters-secrets-token')
    ? { service: EXTENSION, region: PLACE.region }
    : signedFor(headers.get('authorization') ?? '', search);
  if (signed === undefined) return undefined;
  const method = init?.method ?? request?.method ?? 'GET';
  const head = { ...signed, method, host, target: `${pathname}${search}`, headers: Object.fromEntries(headers) };
  const body = init?.body;
  if (readsBody(head) && typeof body !== 'string') throw new Error('A signed fetch must have a string for its body.');
  return { ...head, body: typeof body === 'string' ? body : '' };
}
