import type { Operation } from '../../shared/http/operation.ts';
import type { Request } from './http.ts';

const asTexts = (values: Readonly<Record<string, unknown>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

/**
 * Returns the request of the example in the operation's declaration. The ids of examples are ids of the demo.
 *
 * @throws Error if the operation has no example
 */
export function exampleRequest({ id, examples }: Operation): Request {
  if (examples === undefined) throw new Error(`functions/${id}/operation.ts: add \`examples\` with a request.`);
  const { path, query, headers, body } = examples.request;
  return { path: asTexts(path), query: asTexts(query), headers: asTexts(headers), body };
}
