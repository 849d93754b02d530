import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHandler as acquisition } from '../../functions/analytics/acquisition/handler.ts';
import { createHandler as overview } from '../../functions/analytics/overview/handler.ts';
import { createHandler as timeseries } from '../../functions/analytics/timeseries/handler.ts';
import { operations } from '../../functions/declarations.ts';
import { createHandler as deleteDomain } from '../../functions/domains/delete/handler.ts';
import { createHandler as copyPage } from '../../functions/landing-pages/copy/handler.ts';
import { createHandler as createCase } from '../../functions/training/create-case/handler.ts';
import { createHandler as openSession } from '../../functions/training/open-session/handler.ts';
import { createHandler as readCall } from '../../functions/training/read-call/handler.ts';
import type { Authorization } from '../../shared/http/authorizer.ts';
import type { ApiGatewayHandler } from '../../shared/http/handler.ts';
import { successStatus } from '../../shared/http/operation.ts';
import type { PageWriter } from '../../shared/landing-pages/ports.ts';
import { unlimitedRateLimiter } from '../../shared/limits/rate-limits-disabled.ts';
import type { Role } from '../../shared/organizations/membership.ts';
import { createMembershipAuthorizer } from '../../shared/organizations/membership-authorizer.ts';
import { createOidcAuthenticator } from '../../shared/organizations/oidc/oidc-authenticator.ts';
import { Organization } from '../../shared/organizations/organization.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { systemIdGenerator } from '../../shared/platform/id-generator.ts';
import type { CallWithStoredTranscript } from '../../shared/training/ports.ts';
import { createMemoryAnalytics } from '../support/analytics/analytics.ts';
import { caller } from '../support/http.ts';
import { aPage } from '../support/landing-pages/pages.ts';
import { aTrainingCase } from '../support/training/calls.ts';
import { aPersona } from '../support/training/sessions.ts';

/** Number of mutated tokens per route. */
const TOKENS = 2_000;
const ISSUER = 'https://id.example';
const orgId = randomUUID();

const KEYS = {
  rsa: { alg: 'RS256', kid: 'rsa-1', ...generateKeyPairSync('rsa', { modulusLength: 2048 }) },
  ec: { alg: 'ES256', kid: 'ec-1', ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) },
  otherCurve: { alg: 'ES384', kid: 'ec-2', ...generateKeyPairSync('ec', { namedCurve: 'P-384' }) },
};
type KeyName = keyof typeof KEYS;

/**
 * The published keys of each issuer. The issuer `mixed` omits the optional `alg`. Tokens are signed with `rsa` and
 * `ec`.
 */
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

const page = aPage(orgId);
const known = Organization.parse({ id: orgId, name: 'Example' });
const organizations = { find: async () => known };
const funnels = { ownsFunnel: async () => true };
const analytics = { ...createMemoryAnalytics(), organizations, funnels, clock: systemClock };
const unused = () => Promise.reject(new Error('No request of this test needs this.'));
const writes: PageWriter = {
  putIntent: async () => undefined,
  putParts: async () => undefined,
  commit: async () => true,
  deleteIntent: async () => undefined,
};
const storedCall: CallWithStoredTranscript = {
  id: randomUUID(),
  orgId,
  userId: randomUUID(),
  caseId: randomUUID(),
  personaId: randomUUID(),
  conversationId: null,
  agentId: null,
  status: 'pending',
  durationSeconds: null,
  recordingKey: null,
  failureReason: null,
  createdAt: '2026-05-01T08:00:00.000Z',
  updatedAt: '2026-05-01T08:00:00.000Z',
  caseSnapshot: null,
  storedTranscript: undefined,
  analysis: null,
  score: null,
};

/** Every organization route, with the stored data and the body that a successful request needs. */
const ROUTES: Record<string, { create: (authorization: Authorization<Role>) => ApiGatewayHandler; body?: unknown }> = {
  'analytics/overview': { create: (authorization) => overview({ ...analytics, authorization }) },
  'analytics/timeseries': { create: (authorization) => timeseries({ ...analytics, authorization }) },
  'analytics/acquisition': { create: (authorization) => acquisition({ ...analytics, authorization }) },
  'training/create-case': {
    create: (authorization) =>
      createCase({ authorization, cases: { add: async () => undefined }, ids: systemIdGenerator }),
    body: {
      name: 'Price',
      description: 'Too expensive',
      situation: 'Second call',
      objective: 'Keep the price',
      successCriteria: 'A date is agreed',
      dos: [{ label: 'Names the next step' }],
    },
  },
  'training/open-session': {
    create: (authorization) =>
      openSession({
        casesAndPersonas: { find: async () => ({ trainingCase: aTrainingCase(), persona: aPersona() }) },
        voice: { openSession: async () => ({ signedUrl: 'wss://voice.example', conversationId: 'conv_1' }) },
        calls: { add: async () => 'added' },
        newCallId: () => randomUUID(),
        authorization,
        organizations,
        limiter: unlimitedRateLimiter,
        clock: systemClock,
      }),
    body: { caseId: randomUUID(), personaId: randomUUID() },
  },
  'training/read-call': {
    create: (authorization) =>
      readCall({ authorization, calls: { find: async () => storedCall }, readTranscript: unused }),
  },
  'landing-pages/copy': {
    create: (authorization) =>
      copyPage({
        memberships: { findRole: async () => 'owner' },
        pages: { find: async () => page.page, getParts: async () => page, listOrganizationReferences: unused },
        files: { copy: unused },
        idempotencyRecords: { find: unused, put: unused, complete: unused },
        tombstones: { getRecordState: unused, putTombstone: unused },
        sleep: unused,
        authorization,
        organizations,
        writes,
        limiter: unlimitedRateLimiter,
        clock: systemClock,
        ids: systemIdGenerator,
      }),
    body: { targetOrganizationId: orgId },
  },
  'domains/delete': {
    create: (authorization) =>
      deleteDomain({
        domains: { markRemoving: async () => 'marked' },
        start: async () => undefined,
        authorization,
        clock: systemClock,
      }),
  },
};

const organizationRoutes = operations.filter(({ auth }) => auth !== 'public');

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
/** Appends a member to the JSON text of an object. The member may repeat a name. */
const withMember = (json: string, name: string, value: unknown) =>
  `${json.slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(value ?? null)}}`;

/** Functions that return a valid token of the key, or a mutated token. */
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
  // The token names the `kid`, the `alg` or both of another key, but this key signs it.
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

test('ROUTES contains every organization route', () => {
  expect(Object.keys(ROUTES).sort()).toEqual(organizationRoutes.map(({ id }) => id).sort());
});

test.each(organizationRoutes)(
  '$id: a request with a mutated token of any issuer succeeds or gets 401',
  async (declared) => {
    const route = ROUTES[declared.id];
    if (route === undefined) throw new Error(`There is no request for ${declared.id}. Add one to ROUTES in this file.`);
    const path = Object.fromEntries([...declared.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, orgId]));
    const senders = new Map(
      Object.keys(PUBLISHED).map((issuer) => [issuer, caller(declared, route.create(authorizationOf(issuer)))]),
    );
    const seen = new Map<number, number>();
    const signer = fc.constantFrom<KeyName>('rsa', 'ec');
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...senders.keys()), signer, mutation, async (issuer, key, mutate) => {
        const headers = { authorization: `Bearer ${mutate(key)}` };
        const response = await senders.get(issuer)?.({ path, headers, body: route.body });
        const status = response?.status ?? 0;
        expect([successStatus(declared), 401], headers.authorization).toContain(status);
        seen.set(status, (seen.get(status) ?? 0) + 1);
      }),
      { numRuns: TOKENS },
    );
    // The test is meaningful only if both statuses occur.
    for (const status of [successStatus(declared), 401]) expect(seen.get(status) ?? 0).toBeGreaterThan(TOKENS / 50);
  },
);
