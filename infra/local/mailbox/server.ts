import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenLocally } from '../common/listen.ts';
import { readBodyText } from '../common/request-body.ts';
import type { StandInRequest, StandInResponse } from '../common/stand-in-http.ts';
import { isSmsCall, sendTextMessage } from './end-user-messaging.ts';
import { type Journal, openJournal } from './journal.ts';
import { pageFile } from './page.ts';
import { type Ses, startSes } from './ses.ts';
import { findEmailHtml, toStoreJson } from './store.ts';

const BODY_BYTES_MAX = 10 * 1024 * 1024;
const HTML_PATH = /^\/messages\/([\w-]+)\/html$/;

/**
 * The embedded mailbox: SES and End User Messaging SMS for those who send, `/store` for scripts and tests, a page for
 * people at `/`. E-mails to `fail.example` and SMS to numbers that end with 0000 are refused.
 *
 * @param folder what was sent is kept here
 * @returns its port, and how to end it
 */
export async function startMailbox(host: string, folder: string): Promise<{ port: number; close(): void }> {
  const journal = openJournal(folder);
  const ses = await startSes(host, journal);
  const server = createServer((request, response) => {
    answerTo(request, journal, ses).then(
      (answer) => write(response, answer),
      (failure: unknown) => {
        console.error(failure);
        write(response, plain(500, 'The mailbox has failed: see emulators.log.'));
      },
    );
  });
  const port = await listenLocally(server, host);
  const close = () => {
    server.close();
    server.closeAllConnections();
    ses.close();
  };
  return { port, close };
}

async function answerTo(request: IncomingMessage, journal: Journal, ses: Ses): Promise<StandInResponse> {
  const body = await readBodyText(request, BODY_BYTES_MAX);
  if (body === undefined) return plain(413, 'The body is larger than 10 MB.');
  const url = request.url ?? '/';
  const asked = {
    method: request.method ?? 'GET',
    url,
    path: url.split('?')[0] ?? '/',
    headers: request.headers,
    body,
  };
  if (isSmsCall(asked)) return sendTextMessage(journal, asked);
  if (asked.method === 'POST' && asked.path === '/clear-store') {
    journal.clear();
    return json({ message: 'Store cleared' });
  }
  return (asked.method === 'GET' ? await shown(asked, journal) : undefined) ?? ses.answer(asked);
}

/** What is there to read; undefined: nothing of the mailbox's own. */
async function shown({ path, url }: StandInRequest, journal: Journal): Promise<StandInResponse | undefined> {
  if (path === '/store') return json(toStoreJson(journal.entries(), sinceIn(url)));
  const messageId = HTML_PATH.exec(path)?.[1];
  if (messageId !== undefined) return mailHtml(findEmailHtml(journal.entries(), messageId));
  return pageFile(path);
}

const sinceIn = (url: string): number => Number(/[?&]since=(\d{1,12})\b/.exec(url)?.[1] ?? 0);

const json = (body: object): StandInResponse => ({
  status: 200,
  headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' },
  body: JSON.stringify(body),
});

const plain = (status: number, body: string): StandInResponse => ({
  status,
  headers: { 'Content-Type': 'text/plain' },
  body,
});

/** As a careful mail program shows it: no script, and nothing is fetched. */
function mailHtml(html: string | undefined): StandInResponse {
  if (html === undefined) return plain(404, 'There is no such message.');
  const policy = "sandbox allow-same-origin; default-src 'none'; style-src 'unsafe-inline'; img-src data:";
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'Cache-Control': 'no-store',
    },
    body: html,
  };
}

function write(response: ServerResponse, { status, headers, body }: StandInResponse): void {
  response.writeHead(status, { 'X-Content-Type-Options': 'nosniff', ...headers });
  response.end(body);
}
