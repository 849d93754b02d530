import { once } from 'node:events';
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as startHttp } from 'node:http';
import { Agent as HttpsAgent, request as startHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { ATTEMPT_MS_MAX, type Outcome, type OutgoingRequest, type SendMessage } from './attempt.ts';
import { type Resolver, systemResolver } from './dns-resolver.ts';
import { type EndpointUrlOptions, hostOf, parseEndpointUrl } from './endpoint-url.ts';
import { isPublicAddress } from './public-address.ts';
import { parseRetryAfter } from './retry-after.ts';

/** The step in which an attempt failed. */
type FailedStep = 'dns' | 'connect' | 'tls' | 'response';

export type MessageSenderOptions = EndpointUrlOptions & {
  resolver?: Resolver;
  /** From the DNS query to the last byte of the response. The default is `ATTEMPT_MS_MAX`. */
  timeoutMs?: number;
};

const RESPONSE_BYTES_MAX = 64 * 1_024;
const RESPONSE_HEADER_BYTES_MAX = 16 * 1_024;
/** Limits how many connections one attempt can open, because the receiver chooses the addresses of its hostname. */
const ADDRESSES_MAX = 4;
/**
 * IPv4 and IPv6 addresses are queried at the same time. After the first result with addresses, the other query gets
 * only this much time, because some DNS servers drop queries for IPv6 addresses. A dropped query would otherwise use
 * almost half of `ATTEMPT_MS_MAX`.
 */
const OTHER_FAMILY_TIMEOUT_MS = 500;
/**
 * How long the connection to one address is tried before the next address is tried. If DNS takes at most 2 s,
 * `ATTEMPT_MS_MAX` leaves time for all `ADDRESSES_MAX` addresses.
 */
const ADDRESS_TIMEOUT_MS = 2_000;

/**
 * Creates the sender. A receiver is not trusted: requests must not reach internal networks, and responses must not use
 * much time or memory. Therefore the connection goes only to addresses that were checked, redirects are not followed,
 * responses are not decompressed, reading stops at 64 KiB, and each attempt has its own connection and one deadline.
 */
export function createMessageSender(options: MessageSenderOptions): SendMessage {
  const { timeoutMs = ATTEMPT_MS_MAX } = options;
  return async (request) => {
    const startedAtMs = performance.now();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeoutMs);
    try {
      const outcome = await send(request, options, deadline.signal);
      return { durationMs: Math.round(performance.now() - startedAtMs), ...outcome };
    } catch (failure) {
      if (!(failure instanceof StepError)) throw failure;
      const { step, message } = failure;
      const cause = deadline.signal.aborted
        ? { reason: 'timeout' as const, message: `no ${AWAITED[step]} within ${timeoutMs / 1_000} s` }
        : { reason: step === 'response' ? ('closed' as const) : step, message };
      return { durationMs: Math.round(performance.now() - startedAtMs), outcome: 'failed', ...cause };
    } finally {
      clearTimeout(timer);
    }
  };
}

const AWAITED: Record<FailedStep, string> = {
  dns: 'DNS response',
  connect: 'TCP connection',
  tls: 'TLS connection',
  response: 'complete response',
};

async function send(request: OutgoingRequest, options: MessageSenderOptions, signal: AbortSignal): Promise<Outcome> {
  const { resolver = systemResolver, allowedOrigins } = options;
  const parsed = parseEndpointUrl(request.url, options);
  if ('problem' in parsed) return { outcome: 'refused', explanation: parsed.problem };
  const url = new URL(parsed.url);
  const host = hostOf(url);

  const addresses = isIP(host) === 0 ? await resolve(resolver, host, signal) : [host];
  if (!allowedOrigins.includes(url.origin) && !addresses.every(isPublicAddress)) {
    return {
      outcome: 'refused',
      explanation: `The DNS records of ${host} contain an address that is not public. Remove this address, or use another hostname.`,
    };
  }

  return exchange(url, addresses.slice(0, ADDRESSES_MAX), request, signal);
}

class StepError extends Error {
  readonly step: FailedStep;

  constructor(step: FailedStep, failure: unknown) {
    // Uses only the code of the failure. The text could contain data of the receiver, such as names in a certificate.
    super((failure as NodeJS.ErrnoException).code ?? 'unknown error');
    this.step = step;
  }
}

/**
 * Returns the IPv4 addresses, then the IPv6 addresses. Ignores the failure of one of the two queries, because some DNS
 * servers report a failure for records that do not exist. After one query has returned addresses, the other query may
 * take `OTHER_FAMILY_TIMEOUT_MS` longer.
 *
 * @throws StepError if there is no address
 */
async function resolve(resolver: Resolver, host: string, signal: AbortSignal): Promise<string[]> {
  const other = new AbortController();
  const either = AbortSignal.any([signal, other.signal]);
  const aborted = once(either, 'abort').then(() => Promise.reject(either.reason));
  let timer: NodeJS.Timeout | undefined;
  const found = async (query: Promise<string[]>): Promise<string[]> => {
    const addresses = await Promise.race([query, aborted]);
    if (addresses.length > 0) timer ??= setTimeout(() => other.abort(), OTHER_FAMILY_TIMEOUT_MS);
    return addresses;
  };
  const answers = await Promise.allSettled([
    found(resolver.resolve4(host, either)),
    found(resolver.resolve6(host, either)),
  ]);
  clearTimeout(timer);
  if (signal.aborted) throw new StepError('dns', signal.reason);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  const failed = answers.find((answer) => answer.status === 'rejected');
  throw new StepError('dns', failed?.reason ?? { code: 'ENODATA' });
}

async function exchange(
  url: URL,
  addresses: readonly string[],
  { headers, body }: OutgoingRequest,
  signal: AbortSignal,
): Promise<Outcome> {
  const isTls = url.protocol === 'https:';
  const Agent = isTls ? HttpsAgent : HttpAgent;
  const request = (isTls ? startHttps : startHttp)({
    agent: new Agent(connectionOptions(addresses)),
    signal,
    method: 'POST',
    host: hostOf(url),
    port: url.port,
    path: `${url.pathname}${url.search}`,
    maxHeaderSize: RESPONSE_HEADER_BYTES_MAX,
    headers: {
      ...headers,
      host: url.host,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'Tributary-Webhooks/1',
      'accept-encoding': 'identity',
    },
  });
  let step: FailedStep = 'connect';
  request.once('socket', (socket) => {
    socket.once('connect', () => {
      step = isTls ? 'tls' : 'response';
    });
    socket.once('secureConnect', () => {
      step = 'response';
    });
  });
  // The request can emit `error` after the code below has removed its listeners. Without a listener, Node would end the
  // process.
  request.on('error', () => request.destroy());
  try {
    request.end(body);
    const response = await responseTo(request);
    await readBounded(response);
    // If the deadline has closed the connection, the body may be incomplete. Without a declared length, this causes no
    // error.
    signal.throwIfAborted();
    const retryAfterSeconds = parseRetryAfter(response.headers['retry-after'], Date.now());
    const status = response.statusCode ?? 0;
    return { outcome: 'responded', status, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  } catch (failure) {
    throw new StepError(step, failure);
  } finally {
    request.destroy();
  }
}

/** Connects to the addresses, one after the other. Does not query DNS again, which could return unchecked addresses. */
const connectionOptions = (addresses: readonly string[]) => ({
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
  // With `autoSelectFamily`, Node expects a list of all addresses.
  lookup: ((_host, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    )) satisfies LookupFunction,
  // Set explicitly, so that no environment variable disables the check of certificates.
  rejectUnauthorized: true,
});

/**
 * If the receiver switches protocols (status 101), the request emits neither `response` nor `error`, but ends with
 * `close`.
 */
async function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  const closed = once(request, 'close').then(() =>
    Promise.reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })),
  );
  const [response] = await Promise.race([once(request, 'response'), closed]);
  return response;
}

/** Discards the body. Leaving the loop early closes the connection. */
async function readBounded(response: IncomingMessage): Promise<void> {
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes >= RESPONSE_BYTES_MAX) return;
  }
}
