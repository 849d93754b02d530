import { createServer, type IncomingMessage } from 'node:http';
import { listenLocally } from '../common/listen.ts';
import { readBodyText } from '../common/request-body.ts';
import * as agent from './api.ts';
import { openConversations } from './conversations.ts';
import type { RehearsalSettings } from './settings.ts';
import { startWebhook } from './webhook.ts';

const BODY_BYTES_MAX = 1024 * 1024;
const CONVERSATION = /^\/v1\/convai\/conversations\/([^/]+)(\/audio)?$/;

/**
 * The rehearsal agent: ElevenLabs' agents as far as the service asks them (signed URLs, conversations, recordings, new
 * agents, the signed webhook), with `POST /rehearsals` in place of a voice: it holds a scripted conversation as trainee
 * and customer at once. The signed URL of a session is all that it asks for there.
 *
 * @param folder conversations are kept here
 * @returns its port, and how to end it
 */
export async function startRehearsalAgent(
  host: string,
  folder: string,
  settings: RehearsalSettings,
): Promise<{ port: number; close(): void }> {
  const conversations = openConversations(folder, Date.now());
  const webhook = startWebhook(conversations, settings);
  const parts = { conversations, webhook };
  const server = createServer((request, response) => {
    answerTo(request, parts, settings).then(
      ({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body),
      (failure: unknown) => {
        console.error(failure);
        response.writeHead(500).end();
      },
    );
  });
  const port = await listenLocally(server, host);
  const close = () => {
    webhook.close();
    server.close();
    server.closeAllConnections();
  };
  return { port, close };
}

type Parts = Parameters<typeof agent.rehearse>[0];

async function answerTo(request: IncomingMessage, parts: Parts, settings: RehearsalSettings): Promise<agent.Answer> {
  const body = await readBodyText(request, BODY_BYTES_MAX);
  if (body === undefined) return agent.json(413, { detail: 'The body is larger than 1 MB.' });
  const { socket, headers, method = 'GET' } = request;
  const origin = `http://${socket.localAddress}:${socket.localPort}`;
  const asked = { method, url: new URL(request.url ?? '/', origin), origin, body };
  if (asked.url.pathname === '/rehearsals' && method === 'POST') {
    // A page somewhere on the web can send no JSON here without asking first, and nobody says yes.
    const isJson = headers['content-type']?.startsWith('application/json') === true;
    return isJson ? agent.rehearse(parts, asked) : agent.json(415, { detail: 'Send application/json.' });
  }
  if (headers['xi-api-key'] !== settings.apiKey) {
    return agent.json(401, { detail: { status: 'invalid_api_key', message: 'Invalid API key' } });
  }
  return answerToApi(parts, asked);
}

function answerToApi(parts: Parts, asked: agent.Asked): agent.Answer {
  const { pathname } = asked.url;
  const [, id, audio] = CONVERSATION.exec(pathname) ?? [];
  if (asked.method === 'GET' && pathname === '/v1/convai/conversation/get-signed-url')
    return agent.signUrl(parts, asked);
  if (asked.method === 'POST' && pathname === '/v1/convai/agents/create') return agent.createAgent(parts, asked);
  if (id === undefined) return agent.notFound();
  const conversationId = decodeURIComponent(id);
  if (asked.method === 'DELETE' && audio === undefined) return agent.deleteConversation(parts, conversationId);
  if (asked.method !== 'GET') return agent.notFound();
  return audio === undefined
    ? agent.showConversation(parts, conversationId)
    : agent.playConversation(parts, conversationId);
}
