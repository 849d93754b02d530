import type { IncomingMessage } from 'node:http';
import { listenLocally } from '../common/listen.ts';
import {
  createStandInServer,
  isJsonRequest,
  jsonResponse,
  readStandInRequest,
  type StandInRequest,
  type StandInResponse,
} from '../common/stand-in-http.ts';
import * as api from './api.ts';
import { openConversations } from './conversations.ts';
import type { RehearsalSettings } from './settings.ts';
import { startWebhook } from './webhook.ts';

const BODY_BYTES_MAX = 1024 * 1024;
const CONVERSATION_PATH = /^\/v1\/convai\/conversations\/([^/]+)(\/audio)?$/;

/**
 * Starts the rehearsal agent, the stand-in for ElevenLabs. It has signed URLs, conversations, recordings, agents and
 * the signed webhook. Instead of a voice connection, `POST /rehearsals` simulates a scripted conversation of trainee
 * and customer. This request needs no API key, only the signed URL of a conversation.
 *
 * @param folder folder for the conversations
 */
export async function startRehearsalAgent(
  host: string,
  folder: string,
  settings: RehearsalSettings,
): Promise<{ port: number; close(): void }> {
  const conversations = openConversations(folder, Date.now());
  const webhook = startWebhook(conversations, settings);
  const ports = { conversations, webhook };
  const failure = jsonResponse(500, { detail: 'The rehearsal agent failed. See emulators.log.' });
  const server = createStandInServer((request) => handle(request, ports, settings), failure);
  const port = await listenLocally(server, host);
  const close = () => {
    webhook.close();
    server.close();
    server.closeAllConnections();
  };
  return { port, close };
}

async function handle(
  incoming: IncomingMessage,
  ports: api.Ports,
  settings: RehearsalSettings,
): Promise<StandInResponse> {
  const request = await readStandInRequest(incoming, BODY_BYTES_MAX);
  if (request === undefined) return jsonResponse(413, { detail: 'The body is larger than 1 MB.' });
  const { socket } = incoming;
  const origin = `http://${socket.localAddress}:${socket.localPort}`;
  if (request.path === '/rehearsals' && request.method === 'POST') {
    return isJsonRequest(request)
      ? api.rehearse(ports, request.body)
      : jsonResponse(415, { detail: 'Send application/json.' });
  }
  if (request.headers['xi-api-key'] !== settings.apiKey) {
    return jsonResponse(401, { detail: { status: 'invalid_api_key', message: 'Invalid API key' } });
  }
  return handleApiRequest(ports, request, origin);
}

function handleApiRequest(ports: api.Ports, { method, path, url, body }: StandInRequest, origin: string) {
  if (method === 'GET' && path === '/v1/convai/conversation/get-signed-url') {
    return api.createSignedUrl(ports, new URL(url, origin));
  }
  if (method === 'POST' && path === '/v1/convai/agents/create') return api.createAgent(body);
  const [, encodedId, audio] = CONVERSATION_PATH.exec(path) ?? [];
  if (encodedId === undefined) return api.notFound();
  const id = decodeURIComponent(encodedId);
  if (method === 'DELETE' && audio === undefined) return api.deleteConversation(ports, id);
  if (method !== 'GET') return api.notFound();
  return audio === undefined ? api.getConversation(ports, id) : api.getAudio(ports, id);
}
