import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  isIP,
  Socket,
  type Server as TcpServer,
  type TcpSocketConnectOpts,
} from 'node:net';
import { Readable } from 'node:stream';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Resolver, systemResolver } from '../../../shared/webhooks/dns-resolver.ts';
import { createMessageSender, type MessageSenderOptions } from '../../../shared/webhooks/send-message.ts';
import { selfSignedCertificate } from '../../support/self-signed-certificate.ts';
import { HOSTILE_ADDRESSES, HOSTILE_URLS } from './hostile-urls.ts';

const HOST = 'hooks.example.com';
const PUBLIC = '93.184.216.34';
const message = { headers: { 'webhook-id': 'msg_1' }, body: '{"type":"endpoint.test","data":"ä"}' };

const closings: (() => void)[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const close of closings.splice(0)) close();
});

/** Starts the server and returns its port. Open connections are destroyed at the end of the test. */
async function listen(server: TcpServer): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    // A sender that closes the connection early can cause a reset. Without this listener, the error `ECONNRESET` would
    // be thrown.
    socket.on('error', () => socket.destroy());
  });
  closings.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

type Received = { method?: string; url?: string; headers: NodeJS.Dict<string | string[]>; body: string };

/** Starts a receiver that records each request and then calls `respond`. */
async function receiver(respond: RequestListener) {
  const requests: Received[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    requests.push({ method, url, headers, body: Buffer.concat(await request.toArray()).toString() });
    respond(request, response);
  });
  return { origin: `http://127.0.0.1:${await listen(server)}`, requests };
}

/** Starts a server that handles raw connections. */
const rawReceiver = async (handle: (socket: Socket) => void) =>
  `127.0.0.1:${await listen(createTcpServer((socket) => handle(socket.resume())))}`;

/** A stand-in for the DNS. The n-th query of a type gets the n-th answer, or fails if the answer is an error code. */
function dns(a: (string[] | string)[], aaaa: (string[] | string)[] = []): Resolver {
  const reply = (answers: (string[] | string)[]) => async (): Promise<string[]> => {
    const answer = answers.shift() ?? 'ENODATA';
    if (typeof answer === 'string') throw Object.assign(new Error(`query ${answer}`), { code: answer });
    return answer;
  };
  return { resolve4: vi.fn(reply(a)), resolve6: vi.fn(reply(aaaa)) };
}

const senderTo = (origin: string, options: Partial<MessageSenderOptions> = {}) =>
  createMessageSender({ ownHostnames: [], allowedOrigins: [origin], timeoutMs: 5_000, ...options });

type Captured = { socket: Socket; host: string | undefined; port: number; addresses: string[] };

/**
 * Records the targets of connections, and connects the sockets to `localPort` of this machine instead. Without
 * `localPort`, calls `onConnect` with each socket, and connects none.
 */
function captureConnections(localPort?: number, onConnect: (socket: Socket) => void = () => undefined): Captured[] {
  const captured: Captured[] = [];
  const { connect } = Socket.prototype;
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
    // `node:net` passes the options and the callback in an array, `node:tls` passes them as arguments.
    const [{ host = '', port, lookup }, callback] = args.flat() as [TcpSocketConnectOpts, (() => void) | null];
    const addresses: string[] = [];
    if (isIP(host) !== 0) addresses.push(host);
    else lookup?.(host, { all: true }, (_, list) => addresses.push(...[list].flat().map((found) => addressOf(found))));
    captured.push({ socket: this, host, port: Number(port), addresses });
    if (localPort !== undefined) {
      return Reflect.apply(connect, this, [{ host: '127.0.0.1', port: localPort }, ...(callback ? [callback] : [])]);
    }
    onConnect(this);
    return this;
  });
  return captured;
}

const addressOf = (found: string | { address: string }): string => (typeof found === 'string' ? found : found.address);

const failToConnect = (socket: Socket): unknown =>
  setImmediate(() => socket.destroy(Object.assign(new Error('connect ENETUNREACH'), { code: 'ENETUNREACH' })));

describe('a request', () => {
  test('is a POST with the headers and the exact bytes of the message', async () => {
    const { origin, requests } = await receiver((_, response) => response.writeHead(204).end());
    const attempt = await senderTo(origin)({ ...message, url: `${origin}/hook%20a/b?c=d` });
    expect(attempt).toEqual({ outcome: 'responded', status: 204, durationMs: expect.any(Number) });
    expect(requests).toEqual([
      {
        method: 'POST',
        url: '/hook%20a/b?c=d',
        headers: {
          'webhook-id': 'msg_1',
          host: origin.replace('http://', ''),
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(message.body)),
          'user-agent': 'Tributary-Webhooks/1',
          'accept-encoding': 'identity',
          connection: 'close',
        },
        body: message.body,
      },
    ]);
  });

  test.each([200, 201, 302, 400, 410, 500, 503])('returns the status %i of the response', async (status) => {
    const { origin } = await receiver((_, response) => response.writeHead(status).end('body'));
    expect(await senderTo(origin)({ ...message, url: origin })).toMatchObject({ outcome: 'responded', status });
  });

  test('returns the seconds of the header Retry-After', async () => {
    const { origin } = await receiver((_, response) => response.writeHead(429, { 'retry-after': '30' }).end());
    const attempt = await senderTo(origin)({ ...message, url: origin });
    expect(attempt).toMatchObject({ outcome: 'responded', status: 429, retryAfterSeconds: 30 });
  });

  test('does not follow a redirect, neither to the metadata address nor to the receiver', async () => {
    for (const location of ['http://169.254.169.254/latest/meta-data/', '/elsewhere']) {
      const { origin, requests } = await receiver((_, response) => response.writeHead(307, { location }).end());
      const resolver = dns([]);
      const captured = captureConnections(Number(new URL(origin).port));
      const attempt = await senderTo(origin, { resolver })({ ...message, url: origin });
      vi.restoreAllMocks();
      expect(attempt).toMatchObject({ outcome: 'responded', status: 307 });
      expect(requests).toHaveLength(1);
      expect(captured).toHaveLength(1);
      expect(resolver.resolve4).not.toHaveBeenCalled();
    }
  });
});

describe('the addresses of a hostname', () => {
  test('are resolved once per attempt, and the connection goes to them', async () => {
    const { origin, requests } = await receiver((_, response) => response.end());
    const { port } = new URL(origin);
    const url = `http://${HOST}:${port}/hook`;
    // An attack by DNS rebinding works only if the sender queries the DNS twice. Here, a second query would get
    // 127.0.0.2, where no server listens.
    const resolver = dns([['127.0.0.1'], ['127.0.0.2']]);
    const attempt = await senderTo(`http://${HOST}:${port}`, { resolver })({ ...message, url });
    expect(attempt).toMatchObject({ outcome: 'responded', status: 200 });
    expect(requests).toMatchObject([{ headers: { host: `${HOST}:${port}` } }]);
    expect(resolver.resolve4).toHaveBeenCalledExactlyOnceWith(HOST, expect.any(AbortSignal));
    expect(resolver.resolve6).toHaveBeenCalledExactlyOnceWith(HOST, expect.any(AbortSignal));
  });

  test('are tried in order until one accepts the connection', async () => {
    const { origin } = await receiver((_, response) => response.end());
    const url = `http://${HOST}:${new URL(origin).port}`;
    const resolver = dns([['127.0.0.2', '127.0.0.3', '127.0.0.1']]);
    expect(await senderTo(url, { resolver })({ ...message, url })).toMatchObject({ outcome: 'responded' });
  });

  test.each(HOSTILE_ADDRESSES)('are refused if the DNS returns %j, alone or with public addresses', async (address) => {
    const captured = captureConnections();
    const refused = { outcome: 'refused', explanation: expect.stringContaining('an address that is not public') };
    for (const resolver of [
      dns([[address]]),
      dns(['ENODATA'], [[address]]),
      dns([[PUBLIC, address]]),
      dns([[address, PUBLIC]]),
      dns([[PUBLIC]], [[address]]),
      dns([[PUBLIC]], [['2606:4700::1111', address]]),
    ]) {
      const send = createMessageSender({ ownHostnames: [], allowedOrigins: [], resolver });
      expect(await send({ ...message, url: `https://${HOST}/` })).toMatchObject(refused);
    }
    expect(captured).toEqual([]);
  });

  test('are checked at each attempt, because they can change', async () => {
    const captured = captureConnections(undefined, failToConnect);
    const resolver = dns([[PUBLIC], ['169.254.169.254']]);
    const send = createMessageSender({ ownHostnames: [], allowedOrigins: [], resolver });
    expect(await send({ ...message, url: `https://${HOST}/` })).toMatchObject({
      outcome: 'failed',
      reason: 'connect',
      message: 'ENETUNREACH',
    });
    expect(captured).toMatchObject([{ host: HOST, port: 443, addresses: [PUBLIC] }]);
    expect(await send({ ...message, url: `https://${HOST}/` })).toMatchObject({ outcome: 'refused' });
    expect(captured).toHaveLength(1);
  });

  test('are limited to four, IPv4 before IPv6', async () => {
    const many = Array.from({ length: 50 }, (_, i) => `93.184.216.${i}`);
    const captured = captureConnections(undefined, failToConnect);
    for (const answer of [many, [PUBLIC]]) {
      const resolver = dns([answer], [['2606:4700::1111']]);
      const send = createMessageSender({ ownHostnames: [], allowedOrigins: [], resolver });
      await send({ ...message, url: `https://${HOST}:8443/` });
    }
    expect(captured).toMatchObject([
      { host: HOST, port: 8443, addresses: many.slice(0, 4) },
      { host: HOST, port: 8443, addresses: [PUBLIC, '2606:4700::1111'] },
    ]);
  });

  test('are used even if the query for IPv6 fails', async () => {
    const captured = captureConnections(undefined, failToConnect);
    const resolver = dns([[PUBLIC]], ['ESERVFAIL']);
    const send = createMessageSender({ ownHostnames: [], allowedOrigins: [], resolver });
    await send({ ...message, url: `https://${HOST}/` });
    expect(captured).toMatchObject([{ host: HOST, port: 443, addresses: [PUBLIC] }]);
  });

  describe('if the query for IPv4 or IPv6 is slower than the other', () => {
    const delayed = (ms: number, addresses: string[]) => async () => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return addresses;
    };
    /** A query to a DNS server that does not respond. It ends when it is cancelled. */
    const silent = (_: string, signal: AbortSignal) =>
      new Promise<string[]>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(Object.assign(new Error('cancelled'), { code: 'ECANCELLED' })));
      });

    test.each<[string, Resolver, string[]]>([
      ['IPv6', { resolve4: async () => [PUBLIC], resolve6: silent }, [PUBLIC]],
      ['IPv4', { resolve4: silent, resolve6: async () => ['2606:4700::1111'] }, ['2606:4700::1111']],
    ])(
      'if the query for %s hangs, the addresses of the other query are used 0.5 s after they arrive',
      async (_, resolver, addresses) => {
        const captured = captureConnections(undefined, failToConnect);
        const send = createMessageSender({ ownHostnames: [], allowedOrigins: [], resolver });
        const attempt = await send({ ...message, url: `https://${HOST}/` });
        expect(attempt).toMatchObject({ outcome: 'failed', reason: 'connect' });
        expect(attempt.durationMs).toBeGreaterThanOrEqual(490);
        expect(attempt.durationMs).toBeLessThan(1_400);
        expect(captured).toMatchObject([{ addresses }]);
      },
    );

    test('the attempt is refused if a private address arrives within 0.5 s', async () => {
      const captured = captureConnections();
      for (const resolver of [
        { resolve4: async () => [PUBLIC, '10.0.0.1'], resolve6: silent },
        { resolve4: async () => [PUBLIC], resolve6: delayed(250, ['fd00::1']) },
      ]) {
        const send = createMessageSender({ ownHostnames: [], allowedOrigins: [], resolver });
        expect(await send({ ...message, url: `https://${HOST}/` })).toMatchObject({ outcome: 'refused' });
      }
      expect(captured).toEqual([]);
    });

    test.each<[string, Resolver['resolve4']]>([
      ['fails', dns(['ESERVFAIL']).resolve4],
      ['has no addresses', dns([[]]).resolve4],
    ])('if the first query %s, the slower query may take longer than 0.5 s', async (_, resolve4) => {
      const captured = captureConnections(undefined, failToConnect);
      const resolver = { resolve4, resolve6: delayed(700, ['2606:4700::1111']) };
      const send = createMessageSender({ ownHostnames: [], allowedOrigins: [], resolver });
      await send({ ...message, url: `https://${HOST}/` });
      expect(captured).toMatchObject([{ addresses: ['2606:4700::1111'] }]);
    });
  });

  test.each([
    ['ENOTFOUND', dns(['ENOTFOUND'], ['ENOTFOUND'])],
    ['ESERVFAIL', dns(['ESERVFAIL'], [[]])],
    ['ENODATA', dns([[]], [[]])],
  ])('if the hostname is not resolved, the attempt fails with reason dns and message %s', async (code, resolver) => {
    const captured = captureConnections();
    const send = createMessageSender({ ownHostnames: [], allowedOrigins: [], resolver });
    const attempt = await send({ ...message, url: `https://${HOST}/` });
    expect(attempt).toMatchObject({ outcome: 'failed', reason: 'dns', message: code });
    expect(captured).toEqual([]);
  });
});

test.each(HOSTILE_URLS)('%j is refused without a DNS query and without a connection', async (url, problem) => {
  const [resolver, captured] = [dns([[PUBLIC]]), captureConnections()];
  const send = createMessageSender({ ownHostnames: ['api.tributary.example'], allowedOrigins: [], resolver });
  const attempt = await send({ ...message, url });
  expect(attempt).toMatchObject({ outcome: 'refused', explanation: expect.stringContaining(problem) });
  expect(resolver.resolve4).not.toHaveBeenCalled();
  expect(captured).toEqual([]);
});

describe('TLS', () => {
  const trusted = selfSignedCertificate(HOST);
  const expired = selfSignedCertificate(HOST, Date.now() - 1_000);
  const defaults = getCACertificates('default');
  beforeAll(() => setDefaultCACertificates([...defaults, trusted.cert, expired.cert]));
  afterAll(() => setDefaultCACertificates(defaults));

  /** Sends to a TLS server with this certificate. The connection to the public address leads to this server. */
  async function sendTo(certificate: { key: string | Buffer; cert: string }, url = `https://${HOST}/hook`) {
    const seen: { servername: unknown; host: unknown }[] = [];
    const server: Server = createTlsServer(certificate, (request, response) => {
      seen.push({ servername: (request.socket as TLSSocket).servername, host: request.headers.host });
      response.end();
    });
    const captured = captureConnections(await listen(server));
    const send = createMessageSender({ ownHostnames: [], allowedOrigins: [], resolver: dns([[PUBLIC]]) });
    return { attempt: await send({ ...message, url }), seen, captured };
  }

  test('uses the hostname for the server name, the certificate and the header Host', async () => {
    const { attempt, seen, captured } = await sendTo(trusted);
    expect(attempt).toMatchObject({ outcome: 'responded', status: 200 });
    expect(seen).toEqual([{ servername: HOST, host: HOST }]);
    expect(captured).toMatchObject([{ host: HOST, port: 443, addresses: [PUBLIC] }]);
  });

  test.each([
    ['of an unknown issuer', selfSignedCertificate(HOST), `https://${HOST}/`, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['that expired', expired, `https://${HOST}/`, 'CERT_HAS_EXPIRED'],
    ['of another hostname', trusted, 'https://other.example.com/', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['of a hostname, although the URL has an address', trusted, `https://${PUBLIC}/`, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('sends nothing to a receiver with a certificate %s', async (_, certificate, url, code) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const { attempt, seen } = await sendTo(certificate, url).finally(() => vi.unstubAllEnvs());
    expect(attempt).toMatchObject({ outcome: 'failed', reason: 'tls', message: code });
    expect(seen).toEqual([]);
  });

  test.each([
    ['speaks no TLS', (socket: Socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['closes the connection', (socket: Socket) => void socket.end()],
    ['resets the connection', (socket: Socket) => void socket.once('data', () => socket.resetAndDestroy())],
  ])('the attempt fails if the server %s', async (_, handle) => {
    const origin = `https://${await rawReceiver(handle)}`;
    const attempt = await senderTo(origin)({ ...message, url: origin });
    expect(attempt).toMatchObject({ outcome: 'failed', reason: 'tls', message: expect.stringMatching(/^E[A-Z_]+$/) });
  });
});

describe('the deadline', () => {
  const timeoutMs = 300;
  /** Writes `first` once, then `next` every 20 ms. */
  const trickle = (first: string, next: string) => (socket: Socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(next), 20);
    socket.on('close', () => clearInterval(timer));
  };
  const silence = (): void => undefined;
  const OK = 'HTTP/1.1 200 OK\r\n';

  test.each([
    ['a TLS handshake that hangs', 'https', silence, 'TLS connection'],
    ['headers that never come', 'http', silence, 'complete response'],
    ['headers that trickle', 'http', trickle(OK, 'a'), 'complete response'],
    ['endless informational responses', 'http', trickle('', 'HTTP/1.1 103 a\r\n\r\n'), 'complete response'],
    ['a body that hangs', 'http', trickle(`${OK}content-length: 9\r\n\r\n`, ''), 'complete response'],
    ['a body that trickles', 'http', trickle(`${OK}\r\n`, 'a'), 'complete response'],
  ] as const)('ends %s, and closes the connection', async (_, scheme, handle, awaited) => {
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    const handleAndWatch = (socket: Socket) => handle(socket.on('close', () => close()));
    const origin = `${scheme}://${await rawReceiver(handleAndWatch)}`;
    const attempt = await senderTo(origin, { timeoutMs })({ ...message, url: origin });
    expect(attempt).toMatchObject({ outcome: 'failed', reason: 'timeout', message: `no ${awaited} within 0.3 s` });
    expect(attempt.durationMs).toBeGreaterThanOrEqual(timeoutMs - 5);
    expect(attempt.durationMs).toBeLessThan(10 * timeoutMs);
    await closed;
  });

  test('ends a DNS query that hangs', async () => {
    const signals: AbortSignal[] = [];
    const hang = (_: string, signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<string[]>(() => undefined);
    };
    const resolver = { resolve4: async () => [PUBLIC], resolve6: hang };
    const captured = captureConnections();
    const send = createMessageSender({ ownHostnames: [], allowedOrigins: [], timeoutMs, resolver });
    const attempt = await send({ ...message, url: `https://${HOST}/` });
    expect(attempt).toMatchObject({ outcome: 'failed', reason: 'timeout', message: 'no DNS response within 0.3 s' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(captured).toEqual([]);
  });

  test('ends a TCP connection that hangs', async () => {
    const captured = captureConnections();
    const send = createMessageSender({ ownHostnames: [], allowedOrigins: [], resolver: dns([[PUBLIC]]), timeoutMs });
    const attempt = await send({ ...message, url: `https://${HOST}/` });
    expect(attempt).toMatchObject({ outcome: 'failed', reason: 'timeout', message: 'no TCP connection within 0.3 s' });
    expect(captured.map(({ socket }) => socket.destroyed)).toEqual([true]);
  });
});

describe('a response', () => {
  function* endless() {
    while (true) yield Buffer.alloc(16_384);
  }

  /** Sends to `origin`, and returns also the number of bytes that the sender received. */
  async function measured(origin: string) {
    const captured = captureConnections(Number(new URL(origin).port));
    const attempt = await senderTo(origin)({ ...message, url: origin });
    expect(captured.map(({ socket }) => socket.destroyed)).toEqual([true]);
    return { attempt, bytesRead: captured[0]?.socket.bytesRead };
  }

  test('that does not end is read until 64 KiB have arrived', async () => {
    const { origin } = await receiver((_, response) => {
      Readable.from(endless()).pipe(response);
    });
    const { attempt, bytesRead } = await measured(origin);
    expect(attempt).toMatchObject({ outcome: 'responded', status: 200 });
    expect(bytesRead).toBeGreaterThanOrEqual(65_536);
    expect(bytesRead).toBeLessThan(4 * 65_536);
  });

  test('that is compressed is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const { origin } = await receiver((_, response) => response.setHeader('content-encoding', 'gzip').end(bomb));
    const { attempt, bytesRead } = await measured(origin);
    expect(attempt).toMatchObject({ outcome: 'responded', status: 200 });
    // If the sender decompressed the body, it would stop at 64 KiB, and would not read the whole body.
    expect(bytesRead).toBeGreaterThan(bomb.length);
    expect(bytesRead).toBeLessThan(bomb.length + 1_000);
  });

  test.each([
    ['nothing, and closes the connection', '', 'ECONNRESET'],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'HPE_INVALID_CONSTANT'],
    ['headers of 20 KB', `HTTP/1.1 200 OK\r\na: ${'b'.repeat(20_000)}\r\n\r\n`, 'HPE_HEADER_OVERFLOW'],
    ['half a body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf', 'ECONNRESET'],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: a\r\n\r\n', 'ECONNRESET'],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\na',
      'HPE_UNEXPECTED_CONTENT_LENGTH',
    ],
  ])('if the receiver sends %s, the attempt fails', async (_, text, code) => {
    const origin = `http://${await rawReceiver((socket) => socket.once('data', () => socket.end(text)))}`;
    const attempt = await senderTo(origin)({ ...message, url: origin });
    expect(attempt).toMatchObject({ outcome: 'failed', reason: 'closed', message: code });
  });

  test('if the receiver resets the connection, the attempt fails', async () => {
    const origin = `http://${await rawReceiver((socket) => socket.once('data', () => socket.resetAndDestroy()))}`;
    const attempt = await senderTo(origin)({ ...message, url: origin });
    expect(attempt).toMatchObject({ outcome: 'failed', reason: 'closed', message: 'ECONNRESET' });
  });

  test('if no server listens, the attempt fails without a response', async () => {
    const server = createTcpServer();
    const origin = `http://127.0.0.1:${await listen(server)}`;
    server.close();
    await once(server, 'close');
    const attempt = await senderTo(origin)({ ...message, url: origin });
    expect(attempt).toMatchObject({ outcome: 'failed', reason: 'connect', message: 'ECONNREFUSED' });
  });
});

test.each(['resolve4', 'resolve6'] as const)(
  'the system resolver queries the configured server, and cancels %s when the signal aborts',
  async (method) => {
    const silent = createSocket('udp4').bind(0, '127.0.0.1');
    await once(silent, 'listening');
    vi.stubEnv('DNS_SERVERS', `127.0.0.1:${silent.address().port}`);
    const deadline = new AbortController();
    const query = systemResolver[method](HOST, deadline.signal);
    const cancelled = expect(query).rejects.toMatchObject({ code: 'ECANCELLED' });
    await once(silent, 'message');
    deadline.abort();
    await cancelled;
    silent.close();
    vi.unstubAllEnvs();
  },
);
