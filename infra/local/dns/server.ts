import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { tryParseJson } from '../../common/parse-json.ts';
import { listenLocally } from '../common/listen.ts';
import {
  createStandInServer,
  isJsonRequest,
  jsonResponse,
  readStandInRequest,
  type StandInRequest,
  type StandInResponse,
} from '../common/stand-in-http.ts';
import { DnsRecord, type DnsRecords, openRecords, putRecord, removeRecord } from './records.ts';
import { resolveDnsQuery } from './resolve-query.ts';

const BODY_BYTES_MAX = 16 * 1024;

/**
 * Starts a DNS server for this machine (UDP). It resolves TXT and CNAME records and forwards no queries. Over HTTP,
 * `PUT /records` sets a record from JSON `{name, type, value}`, `GET /records` lists the records, and
 * `DELETE /records?name=…&type=…` removes a record.
 *
 * @param folder folder for the records
 */
export async function startDns(host: string, folder: string): Promise<{ udp: number; http: number; close(): void }> {
  const records = openRecords(folder);
  const socket = createSocket('udp4');
  socket.on('message', (packet, { port, address }) => {
    const response = tryResolve(packet, records);
    if (response !== undefined) socket.send(response, port, address, (error) => error && console.error(error));
  });
  const udp = await bind(socket, host);
  socket.on('error', (error) => console.error('The UDP socket of the DNS server failed:', error));
  const failure = jsonResponse(500, { message: 'The DNS server failed. See emulators.log.' });
  const server = createStandInServer((request) => handle(request, records), failure);
  const http = await listenLocally(server, host);
  const close = () => {
    socket.close();
    server.close();
    server.closeAllConnections();
  };
  return { udp, http, close };
}

async function bind(socket: Socket, host: string): Promise<number> {
  socket.bind(0, host);
  await once(socket, 'listening');
  return socket.address().port;
}

/** Logs errors and does not throw. If the encoder cannot handle a packet, the server must continue. */
function tryResolve(packet: Buffer, records: DnsRecords): Buffer | undefined {
  try {
    return resolveDnsQuery(packet, records.read());
  } catch (error) {
    console.error(error);
    return undefined;
  }
}

async function handle(incoming: IncomingMessage, records: DnsRecords): Promise<StandInResponse> {
  const request = await readStandInRequest(incoming, BODY_BYTES_MAX);
  if (request === undefined) return jsonLine(413, { message: 'The body is larger than 16 KB.' });
  const { pathname, searchParams } = new URL(request.url, 'http://dns');
  if (pathname !== '/records') return jsonLine(404, { message: 'The only path is /records.' });
  if (request.method === 'GET') return jsonLine(200, { records: records.read() });
  if (request.method === 'DELETE') {
    const record = { name: searchParams.get('name') ?? '', type: searchParams.get('type') ?? '' };
    removeRecord(records, record);
    return jsonLine(200, { records: records.read() });
  }
  if (request.method !== 'PUT') return jsonLine(405, { message: 'Use PUT, GET or DELETE.' });
  return put(records, request);
}

function put(records: DnsRecords, request: StandInRequest): StandInResponse {
  if (!isJsonRequest(request)) return jsonLine(415, { message: 'Send application/json.' });
  const { data } = DnsRecord.safeParse(tryParseJson(request.body));
  if (data === undefined) {
    const message = 'Send {"name", "type": "TXT" or "CNAME", "value"}. A TXT value has up to 1,000 ASCII characters.';
    return jsonLine(400, { message });
  }
  if (!putRecord(records, data)) return jsonLine(409, { message: 'There are 1,000 records. Delete one first.' });
  return jsonLine(200, data);
}

/** Creates a JSON response with a newline at the end, for users of curl. */
const jsonLine = (status: number, body: object): StandInResponse => ({
  ...jsonResponse(status, body),
  body: `${JSON.stringify(body)}\n`,
});
