import type { IncomingMessage } from 'node:http';
import { listenLocally } from '../common/listen.ts';
import { readPageFile } from '../common/page-files.ts';
import {
  createStandInServer,
  jsonResponse,
  readStandInRequest,
  type StandInRequest,
  type StandInResponse,
  textResponse,
} from '../common/stand-in-http.ts';
import { isSmsRequest, sendTextMessage } from './end-user-messaging.ts';
import { type Journal, openJournal } from './journal.ts';
import { MAILBOX_FILES, MAILBOX_POLICY } from './page.ts';
import { type Ses, startSes } from './ses.ts';
import { findEmailHtml, toStoreJson } from './store.ts';

const BODY_BYTES_MAX = 10 * 1024 * 1024;
const HTML_PATH = /^\/messages\/([\w-]+)\/html$/;

/**
 * Starts the mailbox: the stand-in for SES and End User Messaging SMS. Sent messages are available as JSON at `/store`
 * and on a page at `/`. E-mails to `fail.example` and SMS to numbers that end with 0000 are rejected.
 *
 * @param folder folder for the messages
 */
export async function startMailbox(host: string, folder: string): Promise<{ port: number; close(): void }> {
  const journal = openJournal(folder);
  const ses = await startSes(host, journal);
  const server = createStandInServer(
    (request) => handle(request, journal, ses),
    textResponse(500, 'The mailbox failed. See emulators.log.'),
  );
  const port = await listenLocally(server, host);
  const close = () => {
    server.close();
    server.closeAllConnections();
    ses.close();
  };
  return { port, close };
}

async function handle(incoming: IncomingMessage, journal: Journal, ses: Ses): Promise<StandInResponse> {
  const request = await readStandInRequest(incoming, BODY_BYTES_MAX);
  if (request === undefined) return textResponse(413, 'The body is larger than 10 MB.');
  if (isSmsRequest(request)) return sendTextMessage(journal, request);
  if (request.method === 'POST' && request.path === '/clear-store') {
    journal.clear();
    return withoutCaching(jsonResponse(200, { message: 'Store cleared' }));
  }
  return (request.method === 'GET' ? await read(request, journal) : undefined) ?? ses.handle(request);
}

/**
 * Handles a GET request for a path of the mailbox. Returns undefined for other paths, which the SES stand-in handles.
 */
async function read({ path, url }: StandInRequest, journal: Journal): Promise<StandInResponse | undefined> {
  if (path === '/store') return withoutCaching(jsonResponse(200, toStoreJson(journal.entries(), parseSince(url))));
  const messageId = HTML_PATH.exec(path)?.[1];
  if (messageId !== undefined) return emailHtmlResponse(findEmailHtml(journal.entries(), messageId));
  return readPageFile(MAILBOX_FILES, path, MAILBOX_POLICY);
}

const parseSince = (url: string): number => Number(/[?&]since=(\d{1,12})\b/.exec(url)?.[1] ?? 0);

const withoutCaching = ({ headers, ...response }: StandInResponse): StandInResponse => ({
  ...response,
  headers: { ...headers, 'Cache-Control': 'no-store' },
});

/** Returns an e-mail as a page that runs no scripts and loads no external resources. */
function emailHtmlResponse(html: string | undefined): StandInResponse {
  if (html === undefined) return textResponse(404, 'There is no such message.');
  const policy = "sandbox allow-same-origin; default-src 'none'; style-src 'unsafe-inline'; img-src data:";
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy };
  return withoutCaching({ status: 200, headers, body: html });
}
