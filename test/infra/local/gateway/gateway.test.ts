import { expect, test, vi } from 'vitest';
import { parseStartOptions } from '../../../../infra/local/runtime/options.ts';
import { anOperation, sendRaw, useGateway } from '../../../support/local/gateway.ts';

const logged: string[] = [];
const respond =
  (headers: Record<string, string> = {}) =>
  async () => ({ statusCode: 200, headers, body: '{}' });
/** An operation that only members may use. Its function allows only the configured origin. */
const member = {
  declared: anOperation('test/member', 'POST /api/v2/organizations/{orgId}/things', { auth: { role: 'member' } }),
  handler: respond({ 'Access-Control-Allow-Origin': 'https://app.example', Vary: 'Origin' }),
};
const origin = useGateway(
  [
    member,
    {
      declared: anOperation('test/warned', 'POST /api/v2/warned'),
      handler: respond({ 'x-warning': 'unknown query parameter utm_source' }),
    },
    { declared: anOperation('test/endless', 'POST /api/v2/endless'), handler: () => new Promise(() => undefined) },
  ],
  { origins: { configured: ['https://app.example'], anyLoopback: true } },
  logged,
);
const strict = useGateway([member]);

async function lineOf(pattern: RegExp): Promise<string> {
  return vi.waitFor(() => {
    const found = logged.filter((line) => pattern.test(line));
    expect(found).toHaveLength(1);
    return found[0] ?? '';
  });
}

test('the access log contains the x-warning header, but not the query', async () => {
  const answer = await fetch(`${origin()}/api/v2/warned?utm_source=secret`, { method: 'POST' });
  const line = await lineOf(/warned/);
  expect(line).toContain(` 200 POST /api/v2/warned `);
  expect(line).toMatch(/ test\/warned \S+ x-warning: unknown query parameter utm_source$/);
  expect(line).toContain(answer.headers.get('x-request-id') ?? '-');
  expect(line).not.toContain('secret');
});

test('the access log contains aborted and malformed requests', async () => {
  await sendRaw(origin(), 'POST /api/v2/endless HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n', 100);
  expect(await lineOf(/endless/)).toMatch(/Z aborted POST \/api\/v2\/endless \d+ ms test\/endless \S+$/);
  const answer = await sendRaw(origin(), 'nonsense\r\n\r\n');
  expect(await lineOf(/Z 400 - - /)).toContain(/x-request-id: (\S+)/.exec(answer)?.[1] ?? '-');
});

const LOOPBACK = ['http://localhost:5173', 'http://127.0.0.1:8080', 'https://shop.localhost', 'http://[::1]:5173'];
const ELSEWHERE = ['https://evil.example', 'http://localhost.example', 'http://localhost:5173.example', 'null'];

/** Returns the origins that the preflight and the response allow. */
async function allowedBy(gateway: string, from: string) {
  const url = `${gateway}/api/v2/organizations/1/things`;
  const answers = ['OPTIONS', 'POST'].map((method) => fetch(url, { method, headers: { origin: from } }));
  return (await Promise.all(answers)).map(({ headers }) => headers.get('access-control-allow-origin'));
}

test('without --origin, pages of this machine may call organization routes, but pages of unknown origins may not', async () => {
  for (const from of LOOPBACK) expect(await allowedBy(origin(), from)).toEqual([from, from]);
  for (const from of ELSEWHERE) {
    expect(await allowedBy(origin(), from)).toEqual(['https://app.example', 'https://app.example']);
  }
});

test('with one or more --origin, pages of this machine may call organization routes only if their origin is given', async () => {
  for (const from of LOOPBACK) {
    expect(await allowedBy(strict(), from)).toEqual(['https://app.example', 'https://app.example']);
  }
  const given = ['--origin', 'http://localhost:5173', '--origin', 'https://dev.example'];
  expect(parseStartOptions(given, {}).origins).toEqual(['http://localhost:5173', 'https://dev.example']);
});
