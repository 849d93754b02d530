import { startHttpServer } from '../http-server.ts';

/** HTML or a script of a site, by path. */
export type SiteFiles = Readonly<Record<`/${string}`, string>>;

/**
 * Serves the site of an organization. The site has another origin than the page client and the API, and a strict
 * Content-Security-Policy.
 *
 * @param api origins to which the pages may connect, separated by spaces
 * @param client origin from which the pages may load scripts
 */
export function startSite(files: SiteFiles, { api, client }: { api: string; client: string }) {
  return startHttpServer(({ url = '/' }, response) => {
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
}
