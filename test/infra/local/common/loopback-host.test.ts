import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { useLocalRuntime } from '../../../support/local/use-local-runtime.ts';

const runtime = useLocalRuntime();
/** The addresses of all servers, by name. */
let addresses: [name: string, address: string][];
beforeAll(async () => {
  const settings: Record<string, string> = JSON.parse(await readFile(join(runtime.state, 'environment.json'), 'utf8'));
  const { baseUrl, pages, mailbox } = runtime.demo;
  addresses = [
    ...Object.entries({ baseUrl, pages: pages.numbers, mailbox }),
    ...Object.entries(settings).filter(([, value]) => /^http:\/\/127\.0\.0\.1:\d+(?:\/\w*)?$/.test(value)),
    ['secrets', `http://127.0.0.1:${settings.PARAMETERS_SECRETS_EXTENSION_HTTP_PORT}`],
  ];
});

const statusOf = (address: string, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(address, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject).end();
  });

describe('protection against DNS rebinding', () => {
  test('421: every local server rejects a hostname that is not a loopback name', async () => {
    expect(addresses.length).toBeGreaterThan(10);
    for (const [name, address] of addresses) {
      const { port } = new URL(address);
      expect([name, await statusOf(address, `rebound.example:${port}`)]).toEqual([name, 421]);
    }
  });

  test('every local server accepts loopback names', async () => {
    for (const [name, address] of addresses) {
      const { port } = new URL(address);
      for (const host of ['localhost', '127.0.0.1']) {
        expect([name, await statusOf(address, `${host}:${port}`)]).not.toEqual([name, 421]);
      }
    }
  });
});
