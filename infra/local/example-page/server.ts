import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PAGE_CLIENT_FILES, PAGE_CLIENT_FOLDER } from '../../bundles/page-client-files.ts';
import { ALIAS_FOLDER, contentType, RESPONSE_HEADERS, VERSION_FOLDER } from '../../page-client/delivery.ts';
import { listenLocally } from '../common/listen.ts';

/** The part of `.local/demo.json` that the example pages need. */
type PagesDemo = {
  baseUrl: string;
  organizations: { a: { id: string; name: string; timezone: string } };
  tokens: { memberA: string; adminAB: string };
  funnel: { id: string; versionId: string; uploadBlockId: string };
  /** URL of the sent messages as JSON. The mailbox page has the path `/` on the same server. */
  mailbox: string;
  aws: { s3: string };
};

export type Pages = {
  port: number;
  /** Starts serving the pages. Until this call, GET and HEAD requests get a 503. */
  show(demo: PagesDemo): void;
  close(): Promise<void>;
};

const BROWSER_FOLDER = join(import.meta.dirname, 'browser');
const TYPES = { html: 'text/html', css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' } as const;
const FUNNEL_PAGE = 'funnel.html';
const PAGES: Record<string, string> = { '/': FUNNEL_PAGE, '/numbers': 'numbers.html', '/api': 'api.html' };
/** Files of the package `swagger-ui-dist`. */
const SWAGGER_UI_FILES: Record<string, string> = {
  'swagger-ui.css': fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui.css')),
  'swagger-ui-bundle.js': fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
};
const FILE = /^\/([a-z-]+)\.(css|js|svg)$/;

/**
 * Serves the example pages on their own origin: the funnel at `/`, live numbers at `/numbers`, and the operations of
 * the API, with Swagger UI, at `/api`. Serves the page client at the paths of the `web` stack. The pages consist of
 * static files with a configuration in the HTML, and use only the HTTP API.
 *
 * Listens immediately, so that no other program takes the port while the demo data is being written.
 *
 * @param wanted the port; 0 for any free port
 * @throws if the port is not available
 */
export async function startPages(wanted: number): Promise<Pages> {
  let demo: PagesDemo | undefined;
  const server = createServer((request, response) => {
    // Not `new URL`, because it would throw for a path like `//`.
    const path = request.url?.split('?')[0] ?? '/';
    if (request.method !== 'GET' && request.method !== 'HEAD') return respond(response, 405, 'Use GET or HEAD.');
    if (demo === undefined) return respond(response, 503, 'Tributary is still starting. Try again in a moment.');
    serve(path, demo, response).catch(() => respond(response, 404, 'There is no such page.'));
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
  const script = PAGE_CLIENT_FILES.find((file) =>
    [VERSION_FOLDER, ALIAS_FOLDER].some((folder) => path === `/${folder}/${file}`),
  );
  if (script !== undefined) {
    const content = await readFile(join(PAGE_CLIENT_FOLDER, script));
    // Browsers must not cache a local file, because it changes with each build.
    const headers = { ...RESPONSE_HEADERS, 'Content-Type': contentType(script), 'Cache-Control': 'no-store' };
    response.writeHead(200, headers).end(content);
    return;
  }
  const name = PAGES[path] ?? FILE.exec(path)?.[0].slice(1);
  if (name === undefined) return respond(response, 404, 'There is no such page.');
  const text = await readFile(SWAGGER_UI_FILES[name] ?? join(BROWSER_FOLDER, name), 'utf8');
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1) as keyof typeof TYPES];
  response.writeHead(200, headersFor(name, type, demo));
  response.end(
    name === FUNNEL_PAGE ? fillAttributes(text, demo) : text.replace('"{{config}}"', () => configFor(name, demo)),
  );
}

/** Fills the attributes of the funnel page, which contain only public values. */
function fillAttributes(text: string, { baseUrl, funnel, organizations, mailbox }: PagesDemo): string {
  const values: Record<string, string> = {
    baseUrl,
    funnelId: funnel.id,
    versionId: funnel.versionId,
    uploadBlockId: funnel.uploadBlockId,
    organizationId: organizations.a.id,
    mailbox: new URL('/', mailbox).href,
  };
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => escapeAttribute(values[name] ?? ''));
}

const escapeAttribute = (value: string): string => value.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/**
 * Returns the configuration of a page as JSON, for a script element in the HTML of the page. The numbers page gets a
 * token of a member. The API page gets a token of an admin.
 */
function configFor(name: string, demo: PagesDemo): string {
  // An unescaped `<` could close the script element that contains the value.
  return JSON.stringify(valuesFor(name, demo)).replaceAll('<', '\\u003c');
}

function valuesFor(name: string, { baseUrl, funnel, organizations, tokens }: PagesDemo) {
  if (name === 'api.html') return { documentUrl: `${baseUrl}/api/v2/openapi.json`, token: tokens.adminAB };
  return { baseUrl, funnelId: funnel.id, organization: organizations.a, token: tokens.memberA };
}

function headersFor(name: string, type: string, { baseUrl, aws }: PagesDemo): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    // The API page cannot require trusted types, because Swagger UI creates HTML from strings.
    ...(name === 'api.html' ? [] : ["require-trusted-types-for 'script'", "trusted-types 'none'"]),
    "style-src 'self'",
    // The style sheet of Swagger UI contains images as data URLs.
    name === 'api.html' ? "img-src 'self' data:" : "img-src 'self'",
    // Large photos are posted to S3 with a presigned form.
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

function respond(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' });
  response.end(`${message}\n`);
}
