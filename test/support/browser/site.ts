import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** HTML or a script of a site, by path. */
export type SiteFiles = Readonly<Record<`/${string}`, string>>;

/**
 * Serves a customer's site. It has another origin than the page client and the API, and a strict policy.
 *
 * @param api origin to which the pages may connect
 * @param client origin from which the pages may load scripts
 */
export async function startSite(files: SiteFiles, { api, client }: { api: string; client: string }) {
  const server = createServer(({ url = '/' }, response) => {
    const path = url.split('?')[0] ?? '/';
    const text = files[path as `/${string}`];
    response.writeHead(text === undefined ? 404 : 200, {
      'Content-Type': path.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8',
      'Content-Security-Policy':
        `default-src 'none'; script-src 'self' ${client}; connect-src ${api}; ` +
        "require-trusted-types-for 'script'; trusted-types 'none'",
    });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
