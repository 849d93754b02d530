import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { tryParseJson } from '../../common/parse-json.ts';
import { listenLocally } from '../common/listen.ts';
import { readBodyText } from '../common/request-body.ts';
import type { StandInResponse } from '../common/stand-in-http.ts';
import { DnsRecord, type DnsRecords, openRecords, putRecord, removeRecord } from './records.ts';
import { resolveDnsQuery } from './resolve-query.ts';

const BODY_BYTES_MAX = 16 * 1024;

/**
 * A DNS server for this machine (UDP): it answers TXT and CNAME of the records that `PUT /records` sets by HTTP, one as
 * JSON `{name, type, value}`; `GET` lists them, `DELETE /records?name=…&type=…` takes one away. It asks nobody else.
 *
 * @param folder the records are kept here
 * @returns its ports, and how to end it
 */
export async function startDns(host: string, folder: string): Promise<{ udp: number; http: number; close(): void }> {
  const records = openRecords(folder);
  const socket = createSocket('udp4');
  socket.on('message', (packet, { port, address }) => {
    const reply = answered(packet, records);
    if (reply !== undefined) socket.send(reply, port, address, (error) => error && console.error(error));
  });
  const udp = await bound(socket, host);
  socket.on('error', (error) => console.error(error));
  const server = createServer((request, response) => {
    answerTo(request, records).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
      (failure: unknown) => {
        console.error(failure);
        response.writeHead(500).end();
      },
    );
  });
  const http = await listenLocally(server, host);
  const close = () => {
    socket.close();
    server.close();
    server.closeAllConnections();
  };
  return { udp, http, close };
}

async function bound(socket: Socket, host: string): Promise<number> {
  socket.bind(0, host);
  await once(socket, 'listening');
  return socket.address().port;
}

/** One packet that the encoder can't answer must not end the server. */
function answered(packet: Buffer, records: DnsRecords): Buffer | undefined {
  try {
    return resolveDnsQuery(packet, records.read());
  } catch (error) {
    console.error(error);
    return undefined;
  }
}

async function answerTo(request: IncomingMessage, records: DnsRecords): Promise<StandInResponse> {
  const body = await readBodyText(request, BODY_BYTES_MAX);
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://dns');
  if (pathname !== '/records') return json(404, { message: 'Only /records is here.' });
  if (request.method === 'GET') return json(200, { records: records.read() });
  if (request.method === 'DELETE') {
    const record = { name: searchParams.get('name') ?? '', type: searchParams.get('type') ?? '' };
    removeRecord(records, record);
    return json(200, { records: records.read() });
  }
  if (request.method !== 'PUT') return json(405, { message: 'PUT, GET or DELETE.' });
  return put(records, request.headers['content-type'], body);
}

function put(records: DnsRecords, type: string | undefined, body: string | undefined): StandInResponse {
  // A page somewhere on the web can send no JSON here without asking first, and nobody says yes.
  if (type?.startsWith('application/json') !== true) return json(415, { message: 'Send application/json.' });
  const { data } = DnsRecord.safeParse(tryParseJson(body ?? ''));
  if (data === undefined) return json(400, { message: 'Send {"name", "type": "TXT" or "CNAME", "value"}.' });
  if (!putRecord(records, data)) return json(409, { message: 'There are too many records.' });
  return json(200, data);
}

const json = (status: number, body: object): StandInResponse => ({
  status,
  headers: { 'Content-Type': 'application/json; charset=utf-8' },
  body: `${JSON.stringify(body)}\n`,
});
