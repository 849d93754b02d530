import { startHttpServer } from '../http-server.ts';

export type ClientSiteOptions = {
  /** Folder URL of the page client's scripts. */
  clientUrl: string;
  apiUrl: string;
  funnelId: string;
};

export type ClientSite = Awaited<ReturnType<typeof startClientSite>>;

/**
 * Serves the site of an organization, with a strict Content-Security-Policy, on another origin than the client and the
 * API. The pages are:
 *
 * - `/module` loads the client with the options of the query.
 * - `/classic` queues calls, and then loads the client with a grant.
 * - `/unused` loads the client and does not call it. With the query `broken`, the id of the funnel is missing. With the
 *   query `late`, the page calls the client after the load.
 * - `/elsewhere` has no client.
 * - `/consent-mode` has Google Consent Mode, and a visitor who has not decided yet.
 * - `/prerenders` lets the browser prerender `/classic`. With the query `go`, it goes to `/classic` after a second.
 */
export async function startClientSite({ clientUrl, apiUrl, funnelId }: ClientSiteOptions) {
  const requests: string[] = [];
  const script = (text: string) => ['text/javascript', text] as const;
  const page = (text: string) => ['text/html', `<!doctype html><title>Page</title>${text}`] as const;
  const fileAt = ({ pathname, searchParams: query }: URL): readonly [type: string, text: string] | undefined => {
    const consent = query.get('consent') ?? 'pending';
    const [visitorId, autoSteps] = ['visitor-id', 'auto-steps'].map((name) => query.has(name));
    switch (pathname) {
      case '/module':
        return page(`<script type="module" src="/module.js?${query}"></script>`);
      case '/module.js':
        return script(`import { createFunnel } from '${clientUrl}funnel.mjs';
          window.funnel = createFunnel(${JSON.stringify({ funnelId, apiUrl, consent, visitorId, autoSteps })});`);
      case '/classic':
        return page(`<script src="/queue.js"></script><script async src="${clientUrl}funnel.js"
          data-funnel="${funnelId}" data-api="${apiUrl}" data-consent="granted"></script>`);
      case '/unused':
        return page(`<script async src="${clientUrl}funnel.js" ${query.has('broken') ? '' : `data-funnel="${funnelId}"`}
          data-api="${apiUrl}" data-consent="granted"></script>
          ${query.has('late') ? '<script src="/late-queue.js"></script>' : ''}`);
      case '/late-queue.js':
        return script(`'use strict';
          addEventListener('load', () => {
            window.tributary = window.tributary || [];
            window.tributary.push((funnel) => funnel.track('late'));
          });`);
      case '/consent-mode':
        return page(`<script src="/queue.js"></script><script src="/consent-mode.js"></script>
          <script async src="${clientUrl}funnel.js" data-funnel="${funnelId}" data-api="${apiUrl}"></script>`);
      case '/consent-mode.js':
        return script(`window.dataLayer = [];
          window.gtag = function () { dataLayer.push(arguments); };
          gtag('consent', 'default', { analytics_storage: 'denied' });
          tributary.push(async (funnel) => {
            const { adoptConsent } = await funnel.load('consent');
            adoptConsent(funnel, { cmp: 'google' });
            window.isAdopted = true;
          });`);
      case '/queue.js':
        return script(
          `window.tributary = [(funnel) => funnel.track('before'), (funnel) => { window.funnel = funnel; }];`,
        );
      case '/elsewhere':
        return page('<p>Another page.</p>');
      case '/prerenders':
        return page('<script src="/prerenders.js"></script>');
      case '/prerenders.js':
        return script(`setTimeout(async () => {
          const databases = await indexedDB.databases();
          await fetch('/stored?' + (databases.length + localStorage.length));
          if (location.search === '?go') location.href = '/classic';
        }, 1_000);`);
      case '/stored':
        return page('');
      case '/rules.json':
        return [
          'application/speculationrules+json',
          JSON.stringify({ prerender: [{ urls: ['/classic'], eagerness: 'immediate' }] }),
        ];
    }
    return undefined;
  };
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${new URL(clientUrl).origin}`,
    `connect-src 'self' ${apiUrl}`,
    "require-trusted-types-for 'script'",
  ].join('; ');
  const server = await startHttpServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://site');
    requests.push(
      `${url.pathname}${url.search}${request.headers['sec-purpose']?.includes('prerender') ? ' prerender' : ''}`,
    );
    const [type, text] = fileAt(url) ?? [];
    response.writeHead(type ? 200 : 404, {
      'Content-Type': type ?? 'text/plain',
      'Content-Security-Policy': policy,
      ...(url.pathname === '/prerenders' && { 'Speculation-Rules': '"/rules.json"' }),
    });
    response.end(text);
  });
  return {
    ...server,
    /** Path and query of each request. Ends with ` prerender` if the browser prerenders the page. */
    requests,
  };
}
