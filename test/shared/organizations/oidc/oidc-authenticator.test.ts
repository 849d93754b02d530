import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OAuth2Server } from 'oauth2-mock-server';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createOidcAuthenticator } from '../../../../shared/organizations/oidc/oidc-authenticator.ts';
import { deriveUserId } from '../../../../shared/organizations/user-id.ts';
import { createJsonLogger } from '../../../../shared/platform/logger.ts';

const log = createJsonLogger({}, () => undefined);
const issuing = new OAuth2Server();
const foreign = new OAuth2Server();

beforeAll(async () => {
  for (const server of [issuing, foreign]) {
    await server.issuer.keys.generate('RS256');
    await server.start(0, '127.0.0.1');
  }
  await issuing.issuer.keys.generate('ES256');
  await issuing.issuer.keys.generate('RS384');
});
afterAll(() => Promise.all([issuing.stop(), foreign.stop()]));
afterEach(() => void vi.useRealTimers());

const url = () => String(issuing.issuer.url);
const tokens = (jwksUri = () => `${url()}/jwks`) =>
  createOidcAuthenticator(() => ({ issuer: url(), audience: 'tributary', jwksUri: jwksUri() }));

const seconds = () => Math.floor(Date.now() / 1_000);

type Claims = Record<string, unknown>;
const keyOf = (alg: string, server = issuing) => {
  const key = server.issuer.keys.toJSON().find((candidate) => candidate.alg === alg);
  if (key === undefined) throw new Error(`The issuer has no ${alg} key.`);
  return key.kid;
};

const sign = async (claims: Claims = {}, { server = issuing, alg = 'RS256', header = {} } = {}) =>
  `Bearer ${await server.issuer.buildToken({
    kid: keyOf(alg, server),
    scopesOrTransform: (signed, payload) => {
      Object.assign(signed, header);
      Object.assign(payload, { sub: 'ada', aud: 'tributary', iss: url() }, claims);
      for (const [name, value] of Object.entries(claims)) if (value === undefined) delete payload[name];
    },
  })}`;

test('the user id is a UUIDv5 that depends on issuer and subject', async () => {
  const { userId: user } = await tokens().authenticate(await sign(), log);
  expect(user).toBe(deriveUserId(url(), 'ada'));
  expect(user).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(deriveUserId('https://a.example', 'ada')).not.toBe(deriveUserId('https://b.example', 'ada'));
  expect(deriveUserId('https://a.example', 'ada')).not.toBe(deriveUserId('https://a.example', 'bob'));
});

test('RS256 and ES256 tokens are accepted with one audience, several audiences, or client_id instead of aud', async () => {
  const verifier = tokens();
  for (const token of [
    await sign({}, { alg: 'ES256' }),
    await sign({ aud: ['other', 'tributary'] }),
    await sign({ aud: undefined, client_id: 'tributary', token_use: 'access' }),
    await sign({ azp: 'a-client', typ: 'Bearer' }, { header: { typ: 'JWT' } }),
    await sign({}, { header: { typ: 'at+jwt' } }),
  ]) {
    expect(await verifier.authenticate(token, log)).toEqual({ userId: deriveUserId(url(), 'ada') });
  }
});

test('a token that expired 3 s ago or becomes valid in 3 s is accepted, because clocks differ', async () => {
  for (const claims of [{ exp: seconds() - 3 }, { nbf: seconds() + 3 }]) {
    expect(await tokens().authenticate(await sign(claims), log)).toEqual({ userId: deriveUserId(url(), 'ada') });
  }
});

describe('401 with WWW-Authenticate', () => {
  test.each<[string, () => string | undefined | Promise<string>]>([
    ['a missing header', () => undefined],
    ['an empty header', () => ''],
    ['a header with another scheme', () => 'Basic YTpi'],
    ['a header without a token', () => 'Bearer'],
    ['a header with two tokens', () => 'Bearer a b'],
    ['a token that is not a JWT', () => 'Bearer abc'],
    ['a token of 1 MB', () => `Bearer ${'a'.repeat(1_000_000)}`],
    ['an expired token', () => sign({ exp: seconds() - 10 })],
    ['a token without expiry', () => sign({ exp: undefined })],
    ['a token that is not valid yet', () => sign({ nbf: seconds() + 100 })],
    ['a token without a subject', () => sign({ sub: undefined })],
    ['a token of another issuer', () => sign({ iss: 'https://evil.example' })],
    ['a token for another audience', () => sign({ aud: 'other' })],
    ['a token without an audience', () => sign({ aud: undefined })],
    ['an ID token (token_use)', () => sign({ token_use: 'id' })],
    ['an ID token (typ)', () => sign({ typ: 'ID' })],
    ['an ID token (at_hash)', () => sign({ at_hash: 'MTIzNDU2Nzg5MDEyMzQ1Ng' })],
    ['an ID token (c_hash)', () => sign({ c_hash: 'MTIzNDU2Nzg5MDEyMzQ1Ng' })],
    ['an ID token (nonce)', () => sign({ nonce: 'n-0S6_WzA2Mj' })],
    ['a token that is signed with RS384', () => sign({}, { alg: 'RS384' })],
    ['a token that is signed with a key of another issuer', () => sign({ iss: url() }, { server: foreign })],
    ['an ES256 signature of 62 bytes', async () => (await sign({}, { alg: 'ES256' })).slice(0, -3)],
    ['an ES256 signature of 66 bytes', async () => `${await sign({}, { alg: 'ES256' })}AAA`],
    ['an RS256 token with the kid of an ES256 key', () => sign({}, { header: { kid: keyOf('ES256') } })],
    ['an ES256 token with the kid of an RS256 key', () => sign({}, { alg: 'ES256', header: { kid: keyOf('RS256') } })],
    ['a token with a kid that the issuer does not have', () => sign({}, { header: { kid: 'other' } })],
    ['a changed payload', async () => (await sign()).replace(/\.(.)/, (_, c: string) => `.${c === 'e' ? 'f' : 'e'}`)],
    ['a token with a critical extension', () => sign({}, { header: { crit: ['b64'], b64: true } })],
    [
      'a token with alg none',
      () =>
        `Bearer ${[
          { alg: 'none', kid: 'x' },
          { sub: 'ada', aud: 'tributary', iss: url() },
        ]
          .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
          .join('.')}.`,
    ],
  ])('for %s', async (_, token) => {
    await expect(tokens().authenticate(await token(), log)).rejects.toMatchObject({
      status: 401,
      code: 'unauthorized',
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  });
});

type Jwk = ReturnType<typeof issuing.issuer.keys.toJSON>[number];

/** A JWKS endpoint. Tests change its keys and its availability. `fetches` counts the requests that it received. */
async function keyServer(algorithms: string[]) {
  const state = { keys: publishedKeys(algorithms), isReachable: true, fetches: 0 };
  const server = createServer((_, response) => {
    state.fetches += 1;
    if (state.isReachable) response.end(JSON.stringify({ keys: state.keys }));
    else response.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, { verifier: tokens(() => `http://127.0.0.1:${port}/jwks`) });
}

const publishedKeys = (algorithms: string[]): Jwk[] =>
  issuing.issuer.keys.toJSON().filter(({ alg }) => algorithms.includes(String(alg)));

const ada = () => deriveUserId(url(), 'ada');
const UNAUTHORIZED = { status: 401, code: 'unauthorized' };
const UNAVAILABLE = { name: 'UnavailableError', retryAfterSeconds: 5 };

test('503: a token is rejected while no keys are cached and the issuer cannot be reached, and accepted afterwards', async () => {
  const issuer = await keyServer(['RS256']);
  issuer.isReachable = false;
  const token = await sign();
  await expect(issuer.verifier.authenticate(token, log)).rejects.toMatchObject(UNAVAILABLE);
  issuer.isReachable = true;
  await expect(issuer.verifier.authenticate(token, log)).resolves.toEqual({ userId: ada() });
});

test.each([
  ['keys that are not a list', { keys: 'none' }],
  ['an invalid key', { keys: [{ kty: 'RSA', kid: 'x', alg: 'RS256', use: 'sig' }] }],
])('503: rejects a token if the JWKS contains %s', async (_, { keys }) => {
  const issuer = await keyServer([]);
  issuer.keys = keys as Jwk[];
  const token = await sign({}, { header: { kid: 'x' } });
  await expect(issuer.verifier.authenticate(token, log)).rejects.toMatchObject(UNAVAILABLE);
});

test('a token without kid is accepted when the JWKS has one key of its algorithm', async () => {
  const issuer = await keyServer(['RS256', 'ES256']);
  for (const alg of ['RS256', 'ES256']) {
    const token = await sign({}, { alg, header: { kid: undefined } });
    await expect(issuer.verifier.authenticate(token, log)).resolves.toEqual({ userId: ada() });
  }
});

test('401: rejects a token without kid if the JWKS has two keys of its algorithm', async () => {
  const issuer = await keyServer(['RS256']);
  issuer.keys = [...issuer.keys, ...foreign.issuer.keys.toJSON()];
  const token = await sign({}, { header: { kid: undefined } });
  await expect(issuer.verifier.authenticate(token, log)).rejects.toMatchObject(UNAUTHORIZED);
});

test('401: rejects a token of one algorithm with the kid of another, even if the JWKS names no algorithms', async () => {
  const issuer = await keyServer(['RS256', 'ES256']);
  issuer.keys = issuer.keys.map(({ alg, ...key }) => key as Jwk);
  for (const [alg, other] of [
    ['RS256', 'ES256'],
    ['ES256', 'RS256'],
  ] as const) {
    const token = await sign({}, { alg, header: { kid: keyOf(other) } });
    await expect(issuer.verifier.authenticate(token, log)).rejects.toMatchObject(UNAUTHORIZED);
    await expect(issuer.verifier.authenticate(await sign({}, { alg }), log)).resolves.toEqual({ userId: ada() });
  }
});

const MINUTE_MS = 60_000;
const later = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });

test('401: rejects a token whose key the issuer withdrew more than 10 minutes ago', async () => {
  const issuer = await keyServer(['RS256', 'ES256']);
  const token = await sign();
  await expect(issuer.verifier.authenticate(token, log)).resolves.toEqual({ userId: ada() });
  issuer.keys = publishedKeys(['ES256']);
  later(9 * MINUTE_MS);
  await expect(issuer.verifier.authenticate(token, log)).resolves.toEqual({ userId: ada() });
  later(MINUTE_MS + 1_000);
  await expect(issuer.verifier.authenticate(token, log)).rejects.toMatchObject(UNAUTHORIZED);
});

test('503: rejects a token if the keys have expired and the issuer cannot be reached', async () => {
  const issuer = await keyServer(['RS256']);
  const token = await sign();
  await expect(issuer.verifier.authenticate(token, log)).resolves.toEqual({ userId: ada() });
  issuer.isReachable = false;
  later(9 * MINUTE_MS);
  await expect(issuer.verifier.authenticate(token, log)).resolves.toEqual({ userId: ada() });
  later(2 * MINUTE_MS);
  await expect(issuer.verifier.authenticate(token, log)).rejects.toMatchObject(UNAVAILABLE);
});

test('401: rejects a token with an unknown key id; such tokens cause a fetch of the keys at most every 2 s', async () => {
  const issuer = await keyServer(['RS256']);
  await issuer.verifier.authenticate(await sign(), log);
  later(3_000);
  const stranger = await sign({}, { header: { kid: 'other' } });
  for (let request = 0; request < 20; request++) {
    await expect(issuer.verifier.authenticate(stranger, log)).rejects.toMatchObject(UNAUTHORIZED);
  }
  expect(issuer.fetches).toBe(2);
  issuer.keys = publishedKeys(['RS256', 'ES256']);
  const rotated = await sign({}, { alg: 'ES256' });
  await expect(issuer.verifier.authenticate(rotated, log)).rejects.toMatchObject(UNAUTHORIZED);
  later(3_000);
  await expect(issuer.verifier.authenticate(rotated, log)).resolves.toEqual({ userId: ada() });
  expect(issuer.fetches).toBe(3);
});
