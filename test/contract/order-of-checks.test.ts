import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { declareOperation } from '../../functions/declare-operation.ts';
import { authorizedBodylessEndpoint } from '../../shared/http/bodyless-endpoint.ts';
import type { ClientRateLimiter } from '../../shared/http/client-rate-limiter.ts';
import { authorizedEndpoint, rateLimitedEndpoint } from '../../shared/http/endpoint.ts';
import { HttpError } from '../../shared/http/errors.ts';
import type { RateLimiter } from '../../shared/platform/rate-limiter.ts';
import { caller, type Request } from '../support/http.ts';
import { anOrganization } from '../support/organizations/members.ts';
import { list, note, organizationNote } from '../support/sample-operations.ts';

// docs/architecture.md promises the order of the checks. If a request fails two checks, the response names the earlier
// check. If the rate limit is checked before the failed check, or concurrently, the limit counts the request.

const { authorization, as, orgId } = anOrganization();
let counted = 0;
let isLimitReached = false;
beforeEach(() => {
  counted = 0;
  isLimitReached = false;
});

const clientRateLimiter: ClientRateLimiter = {
  check: async () => {
    counted += 1;
    if (isLimitReached) throw new HttpError(429, 'Too many requests.');
  },
};
const rateLimiter: RateLimiter = {
  consume: async () => {
    counted += 1;
    return { allowed: !isLimitReached, remaining: 0, resetSeconds: 1, refund: async () => undefined };
  },
};

/** A violation of one check. */
type Check = {
  name: string;
  status: number;
  message: RegExp;
  isCounted: boolean;
  violate(request: Request): Request;
};

const withHeaders = (headers: Record<string, string>) => (request: Request) => ({
  ...request,
  headers: { ...request.headers, ...headers },
});
const withBody = (body: string) => (request: Request) => ({ ...request, body });

const tooLarge: Check = {
  name: '413',
  status: 413,
  message: /at most 1048576 bytes/,
  isCounted: false,
  violate: (request) => ({ ...request, body: `${request.body}${' '.repeat(1_048_577)}` }),
};
const rateLimited: Check = {
  name: '429',
  status: 429,
  message: /"rate_limited"/,
  isCounted: true,
  violate: (request) => {
    isLimitReached = true;
    return request;
  },
};
const pathOf = (name: string, isCounted: boolean): Check => ({
  name: '400 for the path',
  status: 400,
  message: new RegExp(`path.${name} must be a UUID`),
  isCounted,
  violate: (request) => ({ ...request, path: { [name]: 'x' } }),
});
const mediaType: Check = {
  name: '415',
  status: 415,
  message: /The Content-Type must be/,
  isCounted: true,
  violate: withHeaders({ 'content-type': 'text/csv' }),
};
const malformed: Check = {
  name: '400 for malformed JSON',
  status: 400,
  message: /body must be valid JSON/,
  isCounted: true,
  violate: withBody('{'),
};
const header: Check = {
  name: '400 for the headers',
  status: 400,
  message: /header.idempotency-key must/,
  isCounted: true,
  violate: withHeaders({ 'idempotency-key': 'x' }),
};
const schema: Check = {
  name: '400 for the body',
  status: 400,
  message: /body.said must/,
  isCounted: true,
  violate: withBody('{"said":1}'),
};
const unauthorized: Check = {
  name: '401',
  status: 401,
  message: /token is not valid/,
  isCounted: false,
  violate: withHeaders({ authorization: 'Bearer x' }),
};
const forbidden: Check = {
  name: '403',
  status: 403,
  message: /requires the role|not a member/,
  isCounted: true,
  violate: withHeaders(as('stranger')),
};
const query: Check = {
  name: '400 for the query',
  status: 400,
  message: /query.since/,
  isCounted: true,
  violate: (request) => ({ ...request, query: { since: '' } }),
};

const limits = { ...note.limits, perMinutePerUser: 1 };
const authorizedNote = declareOperation('test/authorized-note', { ...organizationNote, limits });
const authorizedList = declareOperation('test/authorized-list', {
  ...list,
  request: { ...list.request, headers: z.object({ 'idempotency-key': z.optional(z.uuid()) }) },
  errors: [400, 401, 403, 429],
  limits,
});

const ENDPOINTS = [
  {
    kind: 'a public operation with a limit per client',
    call: caller(
      note,
      rateLimitedEndpoint(note, clientRateLimiter, async () => ({ data: {} })),
    ),
    valid: { path: { id: randomUUID() }, body: '{}', headers: {} },
    checks: [tooLarge, rateLimited, pathOf('id', true), mediaType, malformed, header, schema],
  },
  {
    kind: 'an operation of an organization with a body',
    call: caller(
      authorizedNote,
      authorizedEndpoint(authorizedNote, { ...authorization, rateLimiter }, async () => ({ data: {} })),
    ),
    valid: { path: { orgId }, body: '{}', headers: as('member') },
    checks: [
      tooLarge,
      unauthorized,
      pathOf('orgId', false),
      forbidden,
      rateLimited,
      mediaType,
      malformed,
      header,
      schema,
    ],
  },
  {
    kind: 'an operation of an organization without a body',
    call: caller(
      authorizedList,
      authorizedBodylessEndpoint(authorizedList, { ...authorization, rateLimiter }, async () => ({ since: null })),
    ),
    valid: { path: { orgId }, headers: as('member') },
    checks: [unauthorized, pathOf('orgId', false), forbidden, rateLimited, query, header],
  },
];

describe.each(ENDPOINTS)('$kind', ({ call, valid, checks }) => {
  test('200: the rate limiter counts a valid request once', async () => {
    expect([(await call(valid)).status, counted]).toEqual([200, 1]);
  });

  const pairs = checks.flatMap((first, at) => checks.slice(at + 1).map((second) => ({ first, second })));

  test.each(pairs)('a request that fails two checks gets $first.name, not $second.name', async ({ first, second }) => {
    // If both violations replace the body, the request has the body of the first violation.
    const request = [second, first].reduce((changed, { violate }) => violate(changed), valid as Request);
    const { status, text } = await call(request);
    expect([status, text]).toEqual([first.status, expect.stringMatching(first.message)]);
    expect(counted).toBe(first.isCounted ? 1 : 0);
  });
});
