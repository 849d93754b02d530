import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { listenLocally } from '../common/listen.ts';

/** What the pages need to know; the demo's description (`.local/demo.json`) has all of it and more. */
type PagesDemo = {
  baseUrl: string;
  organizations: { a: { id: string; name: string; timezone: string } };
  tokens: { memberA: string };
  funnel: { id: string; versionId: string; uploadBlockId: string };
  /** Where what the demo sends can be read, as JSON; beside it stands a page for people. */
  mailbox: string;
  aws: { s3: string };
};

export type Pages = {
  port: number;
  /** Lets visitors in; until then every page is answered with 503. */
  show(demo: PagesDemo): void;
  close(): Promise<void>;
};

const BROWSER_FOLDER = join(import.meta.dirname, 'browser');
const TYPES = { html: 'text/html', css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' } as const;
const PAGES: Record<string, string> = { '/': 'funnel.html', '/numbers': 'numbers.html' };
const FILE = /^\/([a-z-]+)\.(css|js|svg)$/;

/**
 * Serves the demo's two pages on an origin of their own: the funnel at `/` and the live numbers at `/numbers`. Static files and
 * a configuration in the page, nothing else: whatever the pages do, they do through the public API.
 *
 * It listens from the beginning, so that nobody takes its port while the demo is being made.
 *
 * @param wanted its port, 0 for any free one
 * @throws when the port is not available
 */
export async function startPages(wanted: number): Promise<Pages> {
  let demo: PagesDemo | undefined;
  const server = createServer((request, response) => {
    // Taken apart by hand: `new URL` throws for a path like `//`.
    const path = request.url?.split('?')[0] ?? '/';
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, 405, 'Only GET is served here.');
    if (demo === undefined) return refuse(response, 503, 'Tributary is still starting.');
    serve(path, demo, response).catch(() => refuse(response, 404, 'There is no such page.'));
  });
  const port = await listenLocally(server, undefined, wanted);
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const show = (described: PagesDemo) => {
    demo = described;
  };
  return { port, show, close };
}

async function serve(path: string, demo: PagesDemo, response: ServerResponse): Promise<void> {
  const name = PAGES[path] ?? FILE.exec(path)?.[0].slice(1);
  if (name === undefined) return refuse(response, 404, 'There is no such page.');
  const text = await readFile(join(BROWSER_FOLDER, name), 'utf8');
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1) as keyof typeof TYPES];
  response.writeHead(200, headersFor(type, demo));
  response.end(text.replace('"{{config}}"', () => configFor(name, demo)));
}

/** The funnel page gets what any visitor may know; only the numbers page, for people of the organization, gets a token. */
function configFor(name: string, demo: PagesDemo): string {
  const { baseUrl, funnel, organizations, tokens, mailbox } = demo;
  const shared = { baseUrl, funnelId: funnel.id, versionId: funnel.versionId };
  const config =
    name === 'numbers.html'
      ? { ...shared, organization: organizations.a, token: tokens.memberA }
      : {
          ...shared,
          upload: { blockId: funnel.uploadBlockId, organizationId: organizations.a.id },
          mailbox: new URL('/', mailbox).href,
        };
  // `<` would let a value end the script element it stands in.
  return JSON.stringify(config).replaceAll('<', '\\u003c');
}

function headersFor(type: string, { baseUrl, aws }: PagesDemo): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // A chosen photo is shown from the browser's own memory, and a large one goes to the store by a form that the service signs.
    "img-src 'self' blob:",
    `connect-src ${new URL(baseUrl).origin} ${new URL(aws.s3).origin}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Security-Policy': policy.join('; '),
    'Cache-Control': 'no-store',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'X-Content-Type-Options': 'nosniff',
  };
}

function refuse(response: ServerResponse, status: number, words: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' });
  response.end(`${words}\n`);
}
