import { createServer, type Server } from 'node:http';
import dynalite from 'dynalite';
import kinesalite from 'kinesalite';
import { OAuth2Server } from 'oauth2-mock-server';
import { startCloudFront } from '../cloudfront/server.ts';
import { listenLocally } from '../common/listen.ts';
import { startDns } from '../dns/server.ts';
import { startRehearsalAgent } from '../elevenlabs/server.ts';
import { startMailbox } from '../mailbox/server.ts';
import { ISSUER } from '../oidc/issuer.ts';
import { startObjectStore } from '../s3/server.ts';
import type { EmulatorSettings, Endpoints } from './launcher.ts';

// One process for all stand-ins of AWS: it starts on its parent's message and ends with its parent, however that ends.

const HOST = '127.0.0.1';

process.on('disconnect', () => process.exit(0));
// Ctrl-C reaches the whole group: the parent says when, after its last request has been answered.
process.on('SIGINT', () => undefined);
// A stand-in throws on what it did not foresee; the others and the state must not go with it.
process.on('uncaughtException', (error) => console.error(error));
process.on('unhandledRejection', (error) => console.error(error));

process.once('message', (settings: EmulatorSettings) => {
  startAll(settings).then(
    (endpoints) => process.send?.({ endpoints }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  );
});

async function startAll(settings: EmulatorSettings): Promise<Endpoints> {
  const { folder, buckets, issuerKey, secrets, voice, edgeStepMs } = settings;
  const [dynamodb, kinesis, s3, mail, rehearsals, edge, dns, issuer, secretsExtension] = await Promise.all([
    listenLocally(dynalite({ path: `${folder}/dynamodb`, createTableMs: 0, updateTableMs: 0, deleteTableMs: 0 })),
    listenLocally(kinesalite({ path: `${folder}/kinesis`, createStreamMs: 0, updateStreamMs: 0, deleteStreamMs: 0 })),
    startObjectStore(`${folder}/s3`, ...buckets),
    startMailbox(HOST, `${folder}/mailbox`).then(({ port }) => port),
    startRehearsalAgent(HOST, `${folder}/voice`, voice).then(({ port }) => port),
    startCloudFront(HOST, `${folder}/edge`, edgeStepMs).then(({ port }) => port),
    startDns(HOST, `${folder}/dns`),
    startIssuer(issuerKey),
    listenLocally(secretsServer(secrets)),
  ]);
  return {
    dynamodb,
    kinesis,
    s3,
    mail,
    voice: rehearsals,
    edge,
    dns: dns.udp,
    dnsRecords: dns.http,
    issuer,
    secretsExtension,
  };
}

/** Publishes the key by which the runtime signs, and issues further tokens to whoever asks on this machine. */
async function startIssuer(key: EmulatorSettings['issuerKey']): Promise<number> {
  const server = new OAuth2Server();
  await server.issuer.keys.add({ ...key });
  server.issuer.url = ISSUER;
  return listenLocally(createServer(server.service.requestHandler), HOST);
}

/** The AWS Parameters and Secrets Lambda Extension, as far as a function asks it. */
function secretsServer(secrets: EmulatorSettings['secrets']): Server {
  return createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://extension');
    const secretId = url.searchParams.get('secretId') ?? '';
    // Also proves that it is not some other program that another process made ask.
    const isSigned = request.headers['x-aws-parameters-secrets-token'] !== undefined;
    const found = isSigned && url.pathname === '/secretsmanager/get' && Object.hasOwn(secrets, secretId);
    response.writeHead(found ? 200 : 400, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(found ? { Name: secretId, SecretString: secrets[secretId] } : {}));
  });
}
