import { fork } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { RehearsalSettings } from '../elevenlabs/settings.ts';
import type { LocalSecrets } from '../runtime/secrets.ts';
import { createWriteBroadcast, type WrittenStandIn } from './writes.ts';

/** Ports on 127.0.0.1. */
const Endpoints = z.object({
  dynamodb: z.number(),
  kinesis: z.number(),
  s3: z.number(),
  mail: z.number(),
  voice: z.number(),
  /** The port of CloudFront and ACM. */
  edge: z.number(),
  /** A UDP port. */
  dns: z.number(),
  dnsRecords: z.number(),
  issuer: z.number(),
  secretsExtension: z.number(),
});
export type Endpoints = z.infer<typeof Endpoints>;

export type EmulatorSettings = {
  folder: string;
  buckets: readonly string[];
  issuerKey: LocalSecrets['issuerKey'];
  secrets: Record<string, string>;
  voice: RehearsalSettings;
  /** How long the stand-ins take to deploy a change to CloudFront, and to issue a certificate. */
  edgeStepMs: number;
};

export type Emulators = {
  endpoints: Endpoints;
  /** Resolves if the process exits before `stop` is called. */
  crashed: Promise<void>;
  stop(): Promise<void>;
};

/** Reports a write to a stand-in. The process of the stand-ins sends such messages after it has sent its endpoints. */
export type WriteReport = { written: WrittenStandIn };

const Message = z.union([z.object({ endpoints: Endpoints }), z.object({ failure: z.string() })]);

/**
 * Options of Node that delay garbage collection. Only the process of the functions gets them, because its gateway
 * collects garbage between requests. The memory of the stand-ins would grow.
 */
const FUNCTION_GC_OPTIONS = /^--(no-memory-reducer|external-memory-accounted-in-global-limit|heap-growing-percent=.*)$/;

/**
 * Starts the stand-ins in a child process. The output of that process goes to `emulators.log` in the folder.
 *
 * @throws Error if a stand-in does not start
 */
export async function startEmulators(settings: EmulatorSettings): Promise<Emulators> {
  const log = openSync(join(settings.folder, 'emulators.log'), 'w');
  const child = fork(new URL(import.meta.resolve('./child-process.ts')), {
    execArgv: process.execArgv.filter((option) => !FUNCTION_GC_OPTIONS.test(option)),
    stdio: ['ignore', log, log, 'ipc'],
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  let isStopping = false;
  child.send(settings);
  const endpoints = await Promise.race([
    once(child, 'message').then(([message]) => parseEndpoints(message)),
    exited.then(() =>
      Promise.reject(new Error('The AWS stand-ins exited at the start. See emulators.log in the state folder.')),
    ),
  ]);
  const broadcastWrite = createWriteBroadcast();
  child.on('message', ({ written }: WriteReport) => broadcastWrite(written));
  return {
    endpoints,
    crashed: new Promise((resolve) => void exited.then(() => !isStopping && resolve())),
    stop: async () => {
      isStopping = true;
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

function parseEndpoints(data: unknown): Endpoints {
  const message = Message.parse(data);
  if ('failure' in message) throw new Error(`The AWS stand-ins did not start: ${message.failure}`);
  return message.endpoints;
}
