import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OAuth2Server } from 'oauth2-mock-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oidcTokens } from '../../../shared/http/tokens.ts';
import { userIdOf } from '../../../shared/http/user-id.ts';
import { jsonLog } from '../../../shared/platform/log.ts';

const log = jsonLog({}, () => undefined);
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

const url = () => String(issuing.issuer.url);
const tokens = (jwksUri = () => `${url()}/jwks`) =>
  oidcTokens(() => ({ issuer: url(), audience: 'tributary', jwksUri: jwksUri() }));

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

test('the user is the UUIDv5 of issuer and subject, whatever the subject looks like', async () => {
  const user = await tokens().userIdOf(await sign(), log);
  expect(user).toBe(userIdOf(url(), 'ada'));
  expect(user).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(userIdOf('https://a.example', 'ada')).not.toBe(userIdOf('https://b.example', 'ada'));
});

test('RS256 and ES256 are taken; the audience may stand in a list, or in client_id where no aud is sent', async () => {
  const verifier = tokens();
  for (const token of [
    await sign({}, { alg: 'ES256' }),
    await sign({ aud: ['other', 'tributary'] }),
    await sign({ aud: undefined, client_id: 'tributary', token_use: 'access' }),
  ]) {
    expect(await verifier.userIdOf(token, log)).toBe(userIdOf(url(), 'ada'));
  }
});

const seconds = () => Math.floor(Date.now() / 1_000);

describe('401, with WWW-Authenticate', () => {
  test.each<[string, () => string | undefined | Promise<string>]>([
    ['no header', () => undefined],
    ['an empty header', () => ''],
    ['another scheme', () => 'Basic YTpi'],
    ['no token', () => 'Bearer'],
    ['two tokens', () => 'Bearer a b'],
    ['no JWT', () => 'Bearer abc'],
    ['an endless token', () => `Bearer ${'a'.repeat(1_000_000)}`],
    ['an expired one', () => sign({ exp: seconds() - 10 })],
    ['one without expiry', () => sign({ exp: undefined })],
    ['one not valid yet', () => sign({ nbf: seconds() + 100 })],
    ['one without subject', () => sign({ sub: undefined })],
    ['another issuer', () => sign({ iss: 'https://evil.example' })],
    ['another audience', () => sign({ aud: 'other' })],
    ['no audience', () => sign({ aud: undefined })],
    ['an id token', () => sign({ token_use: 'id' })],
    ['another algorithm', () => sign({}, { alg: 'RS384' })],
    ['a foreign key', () => sign({ iss: url() }, { server: foreign })],
    ['a changed payload', async () => (await sign()).replace(/\.(.)/, (_, c: string) => `.${c === 'e' ? 'f' : 'e'}`)],
    ['a critical extension', () => sign({}, { header: { crit: ['b64'], b64: true } })],
    [
      'alg none',
      () =>
        `Bearer ${[
          { alg: 'none', kid: 'x' },
          { sub: 'ada', aud: 'tributary', iss: url() },
        ]
          .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
          .join('.')}.`,
    ],
  ])('%s', async (_, token) => {
    await expect(tokens().userIdOf(await token(), log)).rejects.toMatchObject({
      status: 401,
      code: 'unauthorized',
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  });
});

test('503 while the issuer can not be reached, and success as soon as it can', async () => {
  let reachable = false;
  const keys = createServer((_, response) =>
    reachable ? response.end(JSON.stringify({ keys: issuing.issuer.keys.toJSON() })) : response.destroy(),
  ).listen(0, '127.0.0.1');
  await once(keys, 'listening');
  const { port } = keys.address() as AddressInfo;
  const verifier = tokens(() => `http://127.0.0.1:${port}/jwks`);
  const token = await sign();
  await expect(verifier.userIdOf(token, log)).rejects.toMatchObject({ status: 503, code: 'service_unavailable' });
  reachable = true;
  await expect(verifier.userIdOf(token, log)).resolves.toBe(userIdOf(url(), 'ada'));
  keys.close();
});
