import { type AwsRequest, parseSignature } from '../requests/aws-request.ts';
import { needsBody, SECRETS_EXTENSION } from '../requests/required-permissions.ts';
import { PSEUDO_PARAMETERS } from '../resolve-template.ts';
import { allowConnections } from './block-raw-sockets.ts';
import type { EvaluationHooks } from './hooks.ts';

/**
 * Evaluates requests that functions send with `fetch`, if the requests are signed for AWS or sent to the secrets
 * extension. `interceptHttp` doesn't evaluate them, because `fetch` doesn't use Node's HTTP agents.
 */
export function interceptFetch(hooks: EvaluationHooks): void {
  const original = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const id = hooks.runningFunction();
    const request = id === undefined ? undefined : toAwsRequest(input, init);
    if (id === undefined || request === undefined) return allowConnections(() => original(input, init));
    const readTags = () =>
      Promise.reject(
        new Error(`The policy of ${id} depends on resource tags, which are not read for requests by fetch.`),
      );
    const decision = await hooks.evaluate(id, request, readTags);
    if (decision.isAllowed) return allowConnections(() => original(input, init));
    const { status, headers, body } = hooks.deny(request, decision.message);
    return new Response(body, { status, headers });
  };
}

type FetchArguments = Parameters<typeof fetch>;

function toAwsRequest(input: FetchArguments[0], init: FetchArguments[1]): AwsRequest | undefined {
  const request = input instanceof Request ? input : undefined;
  const headers = new Headers(init?.headers ?? request?.headers);
  const { host, pathname, search } = new URL(request?.url ?? String(input));
  const signature = headers.has('x-aws-parameters-secrets-token')
    ? { service: SECRETS_EXTENSION, region: PSEUDO_PARAMETERS.region }
    : parseSignature(headers.get('authorization') ?? '', search);
  if (signature === undefined) return undefined;
  const method = init?.method ?? request?.method ?? 'GET';
  const head = { ...signature, method, host, target: `${pathname}${search}`, headers: Object.fromEntries(headers) };
  const body = init?.body;
  if (needsBody(head) && typeof body !== 'string')
    throw new Error(`The body of a signed fetch to ${host} must be a string.`);
  return { ...head, body: typeof body === 'string' ? body : '' };
}
