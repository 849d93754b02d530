import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Authorization } from '../../shared/http/authorizer.ts';
import { authorizedBodylessEndpoint } from '../../shared/http/bodyless-endpoint.ts';
import { authorizedEndpoint } from '../../shared/http/endpoint.ts';
import { unlimitedRateLimiter } from '../../shared/limits/rate-limits-disabled.ts';
import type { Role } from '../../shared/organizations/membership.ts';
import { createMembershipAuthorizer } from '../../shared/organizations/membership-authorizer.ts';
import { createOidcAuthenticator } from '../../shared/organizations/oidc/oidc-authenticator.ts';
import { caller } from '../support/http.ts';
import { list, organizationNote } from '../support/sample-operations.ts';

// Sends valid and mutated tokens to two kinds of endpoints. `organization-access.test.ts` checks that every
// organization route authorizes requests.

/** Number of valid and mutated tokens per kind of endpoint. */
const TOKENS = 4_000;
const ISSUER = 'https://id.example';
const orgId = randomUUID();

const KEYS = {
  rsa: { alg: 'RS256', kid: 'rsa-1', ...generateKeyPairSync('rsa', { modulusLength: 2048 }) },
  ec: { alg: 'ES256', kid: 'ec-1', ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) },
  otherCurve: { alg: 'ES384', kid: 'ec-2', ...generateKeyPairSync('ec', { namedCurve: 'P-384' }) },
};
type KeyName = keyof typeof KEYS;

/** The keys that each issuer publishes; `mixed` publishes them without `alg`. Only `rsa` and `ec` sign tokens. */
const PUBLISHED: Record<string, KeyName[]> = { RS256: ['rsa'], ES256: ['ec'], mixed: ['rsa', 'ec', 'otherCurve'] };

const jwksOf = (issuer: string) =>
  JSON.stringify({
    keys: (PUBLISHED[issuer] ?? []).map((name) => {
      const { publicKey, alg, kid } = KEYS[name];
      return { ...publicKey.export({ format: 'jwk' }), use: 'sig', kid, ...(issuer !== 'mixed' && { alg }) };
    }),
  });

const server = createServer(({ url = '' }, response) => response.end(jwksOf(url.slice(1))));
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

/** Accepts tokens that are signed with the published keys of the issuer. Every user is an owner. */
const authorizationOf = (issuer: string): Authorization<Role> => {
  const { port } = server.address() as AddressInfo;
  return {
    authenticator: createOidcAuthenticator(() => ({
      issuer: ISSUER,
      audience: 'tributary',
      jwksUri: `http://127.0.0.1:${port}/${issuer}`,
    })),
    authorizer: createMembershipAuthorizer({ findRole: async () => 'owner' }),
    rateLimiter: unlimitedRateLimiter,
  };
};

const base64url = (bytes: string | Uint8Array) => Buffer.from(bytes).toString('base64url');
const nowSeconds = () => Math.floor(Date.now() / 1_000);

/** The parts of a token, so that a mutation can replace each part. */
type Parts = { header: string; payload: string; signature: Buffer };

function signed(name: KeyName, header: string, payload: string): Parts {
  const key = { key: KEYS[name].privateKey, dsaEncoding: 'ieee-p1363' } as const;
  const signature = sign('sha256', Buffer.from(`${base64url(header)}.${base64url(payload)}`), key);
  return { header, payload, signature };
}

const compact = ({ header, payload, signature }: Parts) =>
  `${base64url(header)}.${base64url(payload)}.${base64url(signature)}`;

const headerOf = (name: KeyName, change: object = {}) =>
  JSON.stringify({ typ: 'JWT', alg: KEYS[name].alg, kid: KEYS[name].kid, ...change });
const payloadOf = (change: object = {}) =>
  JSON.stringify({ iss: ISSUER, aud: 'tributary', sub: 'ada', exp: nowSeconds() + 600, ...change });

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', '\u0000', '💥'),
);
const anyValue = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, '', 0, -1, 1e308, [], {}, [null], true, 'x'.repeat(13_000)),
  fc.constantFrom<unknown>('RS256', 'ES256', 'ES384', 'HS256', 'none', 'rsa-1', 'ec-1', 'ec-2', 'tributary', ISSUER),
  fc.integer({ min: -100, max: 100 }).map((delta) => nowSeconds() + delta),
  anyText,
  fc.jsonValue(),
);
const headerName = fc.oneof(
  fc.constantFrom('alg', 'kid', 'typ', 'crit', 'b64', 'jwk', 'jku', 'x5c', 'x5u', 'cty', 'zip', 'enc', '__proto__'),
  anyText,
);
const claimName = fc.oneof(
  fc.constantFrom('iss', 'aud', 'sub', 'exp', 'nbf', 'iat', 'jti', 'scope', 'client_id', 'token_use', 'typ', 'azp'),
  fc.constantFrom('nonce', 'at_hash', 'c_hash', '__proto__', 'constructor', 'toString'),
  anyText,
);
/** Appends a member to the JSON text of an object, even if the object already has a member with this name. */
const withMember = (json: string, name: string, value: unknown) =>
  `${json.slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(value ?? null)}}`;

/** Generates functions that create a valid or a mutated token with a given key. */
const mutation: fc.Arbitrary<(key: KeyName) => string> = fc.oneof(
  fc.constant((key: KeyName) => compact(signed(key, headerOf(key), payloadOf()))),
  fc.tuple(headerName, anyValue).map(
    ([name, value]) =>
      (key: KeyName) =>
        compact(signed(key, headerOf(key, { [name]: value }), payloadOf())),
  ),
  fc.tuple(claimName, anyValue).map(
    ([name, value]) =>
      (key: KeyName) =>
        compact(signed(key, headerOf(key), payloadOf({ [name]: value }))),
  ),
  fc.tuple(claimName, anyValue).map(
    ([name, value]) =>
      (key: KeyName) =>
        compact(signed(key, headerOf(key), withMember(payloadOf(), name, value))),
  ),
  fc.tuple(headerName, anyValue).map(
    ([name, value]) =>
      (key: KeyName) =>
        compact(signed(key, withMember(headerOf(key), name, value), payloadOf())),
  ),
  // Sets `kid`, `alg` or both in the header to the values of a random key. Often, another key signs the token.
  fc
    .tuple(fc.constantFrom<KeyName>('rsa', 'ec', 'otherCurve'), fc.constantFrom('kid', 'alg', 'both'))
    .map(([other, what]) => (key: KeyName) => {
      const { kid, alg } = KEYS[other];
      const change = { ...(what !== 'alg' && { kid }), ...(what !== 'kid' && { alg }) };
      return compact(signed(key, headerOf(key, change), payloadOf()));
    }),
  fc
    .uint8Array({ maxLength: 300 })
    .map(
      (signature) => (key: KeyName) =>
        compact({ ...signed(key, headerOf(key), payloadOf()), signature: Buffer.from(signature) }),
    ),
  fc.nat({ max: 300 }).map((length) => (key: KeyName) => {
    const parts = signed(key, headerOf(key), payloadOf());
    return compact({ ...parts, signature: Buffer.alloc(length, parts.signature) });
  }),
  fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })).map(([at, bits]) => (key: KeyName) => {
    const parts = signed(key, headerOf(key), payloadOf());
    const index = at % parts.signature.length;
    parts.signature.writeUInt8(parts.signature.readUInt8(index) ^ bits, index);
    return compact(parts);
  }),
  anyText.map((header) => (key: KeyName) => compact(signed(key, header, payloadOf()))),
  fc.oneof(anyText, fc.json()).map((payload) => (key: KeyName) => compact(signed(key, headerOf(key), payload))),
  // Edits of the encoded token.
  fc
    .tuple(fc.nat(), fc.nat({ max: 3 }), fc.oneof(anyText, fc.constantFrom('.', '=', ' ', '-', '"', '\t')))
    .map(([at, removed, inserted]) => (key: KeyName) => {
      const token = compact(signed(key, headerOf(key), payloadOf()));
      const index = at % token.length;
      return token.slice(0, index) + inserted + token.slice(index + removed);
    }),
  fc.array(fc.nat({ max: 2 }), { maxLength: 5 }).map((order) => (key: KeyName) => {
    const segments = compact(signed(key, headerOf(key), payloadOf())).split('.');
    return order.map((at) => segments[at] ?? '').join('.');
  }),
);

const ENDPOINTS = [
  {
    kind: 'a request with a body',
    open: (authorization: Authorization<Role>) =>
      caller(
        organizationNote,
        authorizedEndpoint(organizationNote, authorization, async () => ({ data: {} })),
      ),
    body: {},
  },
  {
    kind: 'a request without a body',
    open: (authorization: Authorization<Role>) =>
      caller(
        list,
        authorizedBodylessEndpoint(list, authorization, async () => ({ since: null })),
      ),
    body: undefined,
  },
];

test.each(ENDPOINTS)(
  '200 or 401: for any valid or mutated token, $kind gets one of the two statuses',
  async ({ open, body }) => {
    const senders = new Map(Object.keys(PUBLISHED).map((issuer) => [issuer, open(authorizationOf(issuer))]));
    const seen = new Map<number, number>();
    const signer = fc.constantFrom<KeyName>('rsa', 'ec');
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...senders.keys()), signer, mutation, async (issuer, key, mutate) => {
        const headers = { authorization: `Bearer ${mutate(key)}` };
        const response = await senders.get(issuer)?.({ path: { orgId }, headers, body });
        const status = response?.status ?? 0;
        expect([200, 401], headers.authorization).toContain(status);
        seen.set(status, (seen.get(status) ?? 0) + 1);
      }),
      { numRuns: TOKENS },
    );
    // The test is meaningful only if both statuses occur.
    for (const status of [200, 401]) expect(seen.get(status) ?? 0).toBeGreaterThan(TOKENS / 50);
  },
);
