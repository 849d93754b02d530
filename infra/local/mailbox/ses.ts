import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type sesServer from 'aws-ses-v2-local';
import { getStoreReadonly } from 'aws-ses-v2-local/dist/store.js';
import { rejectForeignHosts } from '../common/loopback-host.ts';
import { jsonResponse, type StandInRequest, type StandInResponse } from '../common/stand-in-http.ts';
import type { Email, Journal } from './journal.ts';

/** Uses `require`, because module loaders disagree about the default export of an imported CommonJS module. */
const { default: startSesServer }: typeof sesServer = createRequire(import.meta.url)('aws-ses-v2-local');

/** E-mails that contain an address of this domain are rejected, to try the handling of rejections on a laptop. */
const REJECTED_DOMAIN = /@(?:[^@\s]+\.)?fail\.example\b/i;
const SEND_PATHS = ['/v2/email/outbound-emails', '/v2/email/outbound-bulk-emails', '/'];

/** The SES stand-in of aws-ses-v2-local. E-mails that it accepts are moved to the journal. */
export type Ses = { handle(request: StandInRequest): Promise<StandInResponse>; close(): void };

export async function startSes(host: string, journal: Journal): Promise<Ses> {
  const server: Server = await startSesServer({ host, port: 0 });
  rejectForeignHosts(server);
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`;
  const handle: Ses['handle'] = async (request) => {
    const isSend = request.method === 'POST' && SEND_PATHS.includes(request.path);
    if (isSend && REJECTED_DOMAIN.test(request.body)) return messageRejected();
    const response = await forward(origin, request);
    for (const email of getStoreReadonly().emails.splice(0)) journal.add({ channel: 'email', email: copy(email) });
    return response;
  };
  return { handle, close: () => server.close() };
}

type StoredEmail = ReturnType<typeof getStoreReadonly>['emails'][number];

const copy = (email: StoredEmail): Email => JSON.parse(JSON.stringify(email));

function messageRejected(): StandInResponse {
  const { headers, ...response } = jsonResponse(400, { message: 'Email address is on the suppression list.' });
  return { ...response, headers: { ...headers, 'x-amzn-ErrorType': 'MessageRejected' } };
}

async function forward(origin: string, { method, url, headers, body }: StandInRequest): Promise<StandInResponse> {
  const response = await fetch(`${origin}${url}`, {
    method,
    headers: { 'content-type': headers['content-type'] ?? '', authorization: headers.authorization ?? '' },
    ...(method !== 'GET' && method !== 'HEAD' && { body }),
  });
  const type = response.headers.get('content-type') ?? 'application/json';
  return { status: response.status, headers: { 'Content-Type': type }, body: await response.text() };
}
