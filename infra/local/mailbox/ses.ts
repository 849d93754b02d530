import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type sesSink from 'aws-ses-v2-local';
import { getStoreReadonly } from 'aws-ses-v2-local/dist/store.js';
import { rejectForeignHosts } from '../common/loopback-host.ts';
import type { StandInRequest, StandInResponse } from '../common/stand-in-http.ts';
import type { Email, Journal } from './journal.ts';

/** Required, as loaders do not agree on what its default export is when it is imported. */
const { default: startSink }: typeof sesSink = createRequire(import.meta.url)('aws-ses-v2-local');

/** Nothing can be delivered to addresses of this domain: SES refuses them, as it does for addresses it has suppressed. */
const FAILING_DOMAIN = /@(?:[^@\s]+\.)?fail\.example\b/i;
const SEND_PATHS = ['/v2/email/outbound-emails', '/v2/email/outbound-bulk-emails', '/'];

/** SES as aws-ses-v2-local plays it; what it has taken is moved into the journal. */
export type Ses = { answer(asked: StandInRequest): Promise<StandInResponse>; close(): void };

/** @param host where the stand-in that is asked listens */
export async function startSes(host: string, journal: Journal): Promise<Ses> {
  const server: Server = await startSink({ host, port: 0 });
  rejectForeignHosts(server);
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`;
  const answer: Ses['answer'] = async (asked) => {
    const isSend = asked.method === 'POST' && SEND_PATHS.includes(asked.path);
    if (isSend && FAILING_DOMAIN.test(asked.body)) return rejected();
    const given = await forwarded(origin, asked);
    for (const email of getStoreReadonly().emails.splice(0)) journal.add({ channel: 'email', email: kept(email) });
    return given;
  };
  return { answer, close: () => server.close() };
}

type Stored = ReturnType<typeof getStoreReadonly>['emails'][number];

const kept = (email: Stored): Email => JSON.parse(JSON.stringify(email));

const rejected = (): StandInResponse => ({
  status: 400,
  headers: { 'Content-Type': 'application/json', 'x-amzn-ErrorType': 'MessageRejected' },
  body: JSON.stringify({ message: 'Email address is on the suppression list.' }),
});

async function forwarded(origin: string, { method, url, headers, body }: StandInRequest): Promise<StandInResponse> {
  const answer = await fetch(`${origin}${url}`, {
    method,
    headers: { 'content-type': headers['content-type'] ?? '', authorization: headers.authorization ?? '' },
    ...(method !== 'GET' && method !== 'HEAD' && { body }),
  });
  const type = answer.headers.get('content-type') ?? 'application/json';
  return { status: answer.status, headers: { 'Content-Type': type }, body: await answer.text() };
}
