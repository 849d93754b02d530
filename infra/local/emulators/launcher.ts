import { fork } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { RehearsalSettings } from '../elevenlabs/settings.ts';
import type { LocalSecrets } from '../runtime/secrets.ts';

/** Ports on 127.0.0.1. */
const Endpoints = z.object({
  dynamodb: z.number(),
  kinesis: z.number(),
  s3: z.number(),
  mail: z.number(),
  voice: z.number(),
  edge: z.number(),
  /** UDP. */
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
  /** How long a deployment to the edge takes. */
  edgeStepMs: number;
};

export type Emulators = {
  endpoints: Endpoints;
  /** Resolves when they have ended without being asked to. */
  crashed: Promise<void>;
  stop(): Promise<void>;
};

const Report = z.union([z.object({ endpoints: Endpoints }), z.object({ failure: z.string() })]);

/** Options of Node by which functions wait less for the collector: the stand-ins, who keep all they are sent, would only grow. */
const FOR_FUNCTIONS = /^--(no-memory-reducer|external-memory-accounted-in-global-limit|heap-growing-percent=.*)$/;

/** Starts the stand-ins of AWS in a process of their own; what they say goes to `emulators.log` in the folder. */
export async function startEmulators(settings: EmulatorSettings): Promise<Emulators> {
  const log = openSync(join(settings.folder, 'emulators.log'), 'w');
  const child = fork(new URL(import.meta.resolve('./child-process.ts')), {
    execArgv: process.execArgv.filter((option) => !FOR_FUNCTIONS.test(option)),
    stdio: ['ignore', log, log, 'ipc'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  let stopping = false;
  child.send(settings);
  const endpoints = await Promise.race([
    once(child, 'message').then(([message]) => endpointsIn(message)),
    ended.then(() => Promise.reject(new Error('The stand-ins of AWS ended at once: see emulators.log.'))),
  ]);
  return {
    endpoints,
    crashed: new Promise((resolve) => void ended.then(() => !stopping && resolve())),
    stop: async () => {
      stopping = true;
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

function endpointsIn(message: unknown): Endpoints {
  const report = Report.parse(message);
  if ('failure' in report) throw new Error(`The stand-ins of AWS did not start: ${report.failure}`);
  return report.endpoints;
}
