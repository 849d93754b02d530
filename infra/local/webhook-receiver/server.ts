import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { tryParseJson } from '../../common/parse-json.ts';
import { listenLocally } from '../common/listen.ts';
import { type PageFiles, readPageFile, STAND_IN_STYLE_SHEETS } from '../common/page-files.ts';
import {
  createStandInServer,
  isJsonRequest,
  jsonResponse,
  readStandInRequest,
  type StandInRequest,
  type StandInResponse,
  textResponse,
} from '../common/stand-in-http.ts';
import type { StateFolder } from '../runtime/state-folder.ts';
import { createDelivery, DELIVERIES_MAX, type Delivery } from './deliveries.ts';
import { afterOneRequest, NextResponse, NORMAL_RESPONSE } from './next-response.ts';
import { parseSigningSecret, type SigningSecret } from './signature.ts';

/** More than the largest message, which contains a lead of 300 KB. */
const BODY_BYTES_MAX = 512 * 1024;
const SECRETS_MAX = 20;
/** Name of the file in the state folder. */
const SECRETS_FILE = 'webhook-receiver.json';
const OWNER_ONLY = 0o600;
const HOOK_PATH = /^\/hook(?:\/|$)/;
const BROWSER_FOLDER = join(import.meta.dirname, 'browser');
const PAGE_FILES: PageFiles = {
  '/': [join(BROWSER_FOLDER, 'receiver.html'), 'text/html'],
  ...STAND_IN_STYLE_SHEETS,
  '/receiver.css': [join(BROWSER_FOLDER, 'receiver.css'), 'text/css'],
  '/receiver.js': [join(BROWSER_FOLDER, 'receiver.js'), 'text/javascript'],
  '/icon.svg': [join(BROWSER_FOLDER, 'icon.svg'), 'image/svg+xml'],
};
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

const Secrets = z.object({ secrets: z.array(z.string()).check(z.maxLength(SECRETS_MAX)) });

export type WebhookReceiver = { port: number; close(): Promise<void> };

/** Only the secrets are saved to a file. The deliveries stay in memory, because they contain personal data of leads. */
type ReceiverState = {
  readonly folder: Pick<StateFolder, 'read' | 'write'>;
  secrets: SigningSecret[];
  nextResponse: NextResponse;
  /** Newest first. */
  deliveries: Delivery[];
  /** Changes with every change of the state. */
  version: string;
};

/**
 * Starts the webhook receiver, which acts as the receiver of an organization. It keeps the latest requests to
 * `POST /hook`, and to paths below it, in memory. `GET /deliveries` returns them as JSON. The user chooses the response
 * on the page at `/`.
 *
 * @param wanted the port; 0 for any free port
 * @param folder keeps the signing secrets, so that messages are verified after a restart, too
 * @throws if the port is not available
 */
export async function startWebhookReceiver(
  wanted: number,
  folder: Pick<StateFolder, 'read' | 'write'>,
): Promise<WebhookReceiver> {
  const state: ReceiverState = {
    folder,
    secrets: loadSecrets(folder),
    nextResponse: NORMAL_RESPONSE,
    deliveries: [],
    version: randomUUID(),
  };
  const server = createStandInServer(
    (request) => handle(request, state),
    textResponse(500, 'The webhook receiver failed. Its error is in the output of npm start.'),
  );
  const port = await listenLocally(server, undefined, wanted);
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port, close };
}

function loadSecrets(folder: Pick<StateFolder, 'read'>): SigningSecret[] {
  const { data } = Secrets.safeParse(tryParseJson(folder.read(SECRETS_FILE) ?? ''));
  return (data?.secrets ?? []).map(parseSigningSecret).filter((secret) => secret !== undefined);
}

async function handle(incoming: IncomingMessage, state: ReceiverState): Promise<StandInResponse> {
  const request = await readStandInRequest(incoming, BODY_BYTES_MAX);
  if (request === undefined)
    return textResponse(413, 'The body is larger than 512 KiB. The receiver did not store it.');
  if (HOOK_PATH.test(request.path)) return receive(request, incoming, state);
  if (request.method === 'PUT') return changeSettings(request, state);
  if (request.method !== 'GET') return methodNotAllowed('GET');
  if (request.path === '/deliveries') return deliveriesResponse(request, state);
  return (
    (await readPageFile(PAGE_FILES, request.path, PAGE_POLICY)) ??
    textResponse(404, 'There is no such page. Send messages to /hook, and open / in a browser to see them.')
  );
}

/** Adds the request to the deliveries, and responds as `nextResponse` says. */
function receive(
  request: StandInRequest,
  incoming: IncomingMessage,
  state: ReceiverState,
): StandInResponse | Promise<StandInResponse> {
  if (request.method !== 'POST') return methodNotAllowed('POST');
  const { response, retryAfterSeconds } = state.nextResponse;
  const delivery = createDelivery(request, response, state.secrets, state.deliveries);
  change(state, {
    deliveries: [delivery, ...state.deliveries].slice(0, DELIVERIES_MAX),
    nextResponse: afterOneRequest(state.nextResponse),
  });
  if (response === 'close') incoming.socket.destroy();
  if (response === 'close' || response === 'hang') return new Promise(() => undefined);
  if (response === 204) return { status: 204, headers: {}, body: '' };
  const { headers, ...rest } = textResponse(response, `The page of the webhook receiver set the status ${response}.`);
  const retryAfter =
    response === 429 && retryAfterSeconds !== undefined ? { 'Retry-After': `${retryAfterSeconds}` } : {};
  return { ...rest, headers: { ...headers, ...retryAfter } };
}

function changeSettings(request: StandInRequest, state: ReceiverState): StandInResponse {
  if (!isJsonRequest(request)) return textResponse(415, 'Send JSON, with the header Content-Type: application/json.');
  if (request.path === '/secrets') return setSecrets(tryParseJson(request.body), state);
  if (request.path === '/next-response') return setNextResponse(tryParseJson(request.body), state);
  return textResponse(404, 'There is no such setting. The settings are /secrets and /next-response.');
}

function setSecrets(body: unknown, state: ReceiverState): StandInResponse {
  const { data, error } = Secrets.safeParse(body);
  if (data === undefined) return textResponse(400, z.prettifyError(error));
  const parsed = data.secrets.map(parseSigningSecret);
  const secrets = parsed.filter((secret) => secret !== undefined);
  if (secrets.length < parsed.length) {
    const line = parsed.indexOf(undefined) + 1;
    return textResponse(
      400,
      `Secret ${line} is not a signing secret. Paste the secret as it was shown when you created the webhook ` +
        'endpoint or rotated its secret. A signing secret begins with whsec_, and Base64 follows.',
    );
  }
  state.folder.write(SECRETS_FILE, JSON.stringify(data), OWNER_ONLY);
  change(state, { secrets });
  return { status: 204, headers: {}, body: '' };
}

function setNextResponse(body: unknown, state: ReceiverState): StandInResponse {
  const { data, error } = NextResponse.safeParse(body);
  if (data === undefined) return textResponse(400, z.prettifyError(error));
  change(state, { nextResponse: data });
  return { status: 204, headers: {}, body: '' };
}

/**
 * Returns 304 if the client has the current version, so that the page can poll without loading unchanged deliveries
 * again.
 */
function deliveriesResponse({ headers }: StandInRequest, state: ReceiverState): StandInResponse {
  const { deliveries, nextResponse, version } = state;
  const common = { 'Cache-Control': 'no-store', ETag: `"${version}"` };
  if (headers['if-none-match'] === common.ETag) return { status: 304, headers: common, body: '' };
  const response = jsonResponse(200, { deliveries, nextResponse, secrets: state.secrets.map(({ label }) => label) });
  return { ...response, headers: { ...response.headers, ...common } };
}

const change = (state: ReceiverState, changes: Partial<Omit<ReceiverState, 'folder' | 'version'>>): void =>
  void Object.assign(state, changes, { version: randomUUID() });

function methodNotAllowed(allow: string): StandInResponse {
  const { headers, ...rest } = textResponse(405, `Use ${allow}.`);
  return { ...rest, headers: { ...headers, Allow: allow } };
}
