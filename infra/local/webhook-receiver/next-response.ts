import * as z from 'zod/mini';

/** What the receiver does with a request: responds with a status, never responds, or closes the connection. */
const Reaction = z.literal([204, 200, 410, 429, 500, 'hang', 'close']);
export type Reaction = z.infer<typeof Reaction>;

export const NextResponse = z.object({
  response: Reaction,
  /** Seconds of the `Retry-After` header, which only a response with status 429 has. */
  retryAfterSeconds: z.optional(z.int().check(z.minimum(0), z.maximum(86_400))),
  /** How many requests get this response before the receiver responds 204 again. If absent, all requests get it. */
  requests: z.optional(z.int().check(z.minimum(1), z.maximum(1_000))),
});
export type NextResponse = z.infer<typeof NextResponse>;

export const NORMAL_RESPONSE: NextResponse = { response: 204 };

/** Returns the setting that applies after one request has got the current response. */
export function afterOneRequest(current: NextResponse): NextResponse {
  if (current.requests === undefined) return current;
  return current.requests === 1 ? NORMAL_RESPONSE : { ...current, requests: current.requests - 1 };
}
