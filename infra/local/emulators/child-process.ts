import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import dynalite from 'dynalite';
import { startCloudFront } from '../cloudfront/server.ts';
import { listenLocally } from '../common/listen.ts';
import { startDns } from '../dns/server.ts';
import { startRehearsalAgent } from '../elevenlabs/server.ts';
import { startMailbox } from '../mailbox/server.ts';
import { startOidc } from '../oidc/server.ts';
import { startObjectStore } from '../s3/server.ts';
import { startSecretsExtension } from '../secrets-extension/server.ts';
import type { EmulatorSettings, Endpoints, WriteReport } from './launcher.ts';
import { repairIndexes } from './repair-indexes.ts';
import { reportWrites, type WrittenStandIn } from './writes.ts';

// The process that runs the stand-ins. It starts the stand-ins when the parent sends the settings, and exits when the
// parent disconnects or exits.

const HOST = '127.0.0.1';

process.on('disconnect', () => process.exit(0));
// Ctrl-C sends SIGINT to the whole process group. Ignore the signal, because the parent needs the stand-ins until its
// last request is complete.
process.on('SIGINT', () => undefined);
// A bug in one stand-in must not end the other stand-ins or damage their state.
process.on('uncaughtException', (error) => console.error(error));
process.on('unhandledRejection', (error) => console.error(error));

process.once('message', (settings: EmulatorSettings) => {
  startAll(settings).then(
    (endpoints) => process.send?.({ endpoints }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  );
});

async function startAll({ folder, ...settings }: EmulatorSettings): Promise<Endpoints> {
  await repairIndexes(`${folder}/dynamodb`);
  const report = (written: WrittenStandIn) => () => process.send?.({ written } satisfies WriteReport);
  const withoutDelays = { createTableMs: 0, updateTableMs: 0, deleteTableMs: 0 };
  const [dynamodb, kinesis, s3, mail, voice, edge, dns, issuer, secretsExtension] = await Promise.all([
    listenLocally(reportWrites(dynalite({ path: `${folder}/dynamodb`, ...withoutDelays }), report('dynamodb'))),
    startKinesis(`${folder}/kinesis`, report('kinesis')),
    startObjectStore(`${folder}/s3`, ...settings.buckets),
    startMailbox(HOST, `${folder}/mailbox`),
    startRehearsalAgent(HOST, `${folder}/voice`, settings.voice),
    startCloudFront(HOST, `${folder}/edge`, settings.edgeStepMs),
    startDns(HOST, `${folder}/dns`),
    startOidc(HOST, settings.issuerKey),
    startSecretsExtension(HOST, settings.secrets),
  ]);
  return {
    dynamodb,
    kinesis,
    s3,
    mail: mail.port,
    voice: voice.port,
    edge: edge.port,
    dns: dns.udp,
    dnsRecords: dns.http,
    issuer,
    secretsExtension,
  };
}

/**
 * Starts the stand-in of Kinesis in a thread. If the thread exits later, this process exits too, so that the parent
 * notices.
 *
 * @returns the port
 */
async function startKinesis(path: string, reportWrite: () => void): Promise<number> {
  const thread = new Worker(new URL('./kinesis-thread.ts', import.meta.url), { workerData: path });
  const [port] = (await once(thread, 'message')) as [number];
  thread.on('message', reportWrite);
  thread.once('exit', () => process.exit(1));
  return port;
}
