import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'rolldown';
import type { BareMessage, Invocation, Outcome } from './bare-messages.ts';

/** A function with the properties that its template gives it. */
export type BareFunction = {
  name: string;
  /** The folder with the function's code. */
  asset: string;
  handler: string;
  environment: Readonly<Record<string, string>>;
  memoryMb: number;
  timeoutSeconds: number;
  /** A folder that replaces `/opt`, with the same layout. */
  layers?: string;
  /** Whether the function has the layer with the secrets extension. */
  secretsExtension?: boolean;
};

export type Machine = {
  folder: string;
  bootstrap: string;
  remove(): void;
};

/** Creates a folder with the files that run functions. No folder above it contains `node_modules`. */
export async function bareMachine(): Promise<Machine> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tributary-bare-')));
  const bootstrap = join(folder, 'runtime', 'bootstrap.mjs');
  await build({
    input: join(import.meta.dirname, 'bootstrap.ts'),
    platform: 'node',
    transform: { target: 'node24' },
    output: { file: bootstrap, format: 'esm' },
    logLevel: 'warn',
  });
  return { folder, bootstrap, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

type Connection = Extract<BareMessage, { what: 'connection' }>;
type InitFailure = { errorType: string; errorMessage: string };

export type Started = {
  /** `ready`, or the error of the init phase, or the exit of the process. */
  init: 'ready' | InitFailure;
  /** Duration of the import of the bundle in milliseconds. */
  initMs: number;
  invoke(event: unknown): Promise<Outcome>;
  connections: readonly Connection[];
  log(): string;
  stop(): Promise<void>;
};

type Options = {
  /** Variables that are not in the template: the addresses of the stand-ins of AWS. */
  standIns?: Readonly<Record<string, string>>;
  /** Redirects connections. Keys are addresses, for example `localhost:2773`. Values are local ports. */
  elsewhere?: Readonly<Record<string, number>>;
  /** The port of the secrets extension, for functions that have it. */
  secretsExtension?: number;
};

/** The address of the secrets extension. Functions without the extension find no server there. */
const EXTENSION = 'localhost:2773';

let started = 0;

/**
 * Starts a function in a new process. The process can read only its code, its layers and the runtime, and can read and
 * write its own temporary folder.
 */
export async function startBare(machine: Machine, bare: BareFunction, options: Options = {}): Promise<Started> {
  const home = join(machine.folder, `${++started}-${bare.name}`);
  const [task, temporary] = [join(home, 'task'), join(home, 'tmp')];
  mkdirSync(temporary, { recursive: true });
  cpSync(bare.asset, task, { recursive: true });
  const readable = [task, join(machine.folder, 'runtime'), temporary, ...(bare.layers ? [bare.layers] : [])];
  const child = spawn(
    process.execPath,
    [
      ...['--permission', '--disable-warning=PERM0001', '--allow-addons', `--allow-fs-write=${temporary}`],
      ...readable.map((folder) => `--allow-fs-read=${folder}`),
      ...heapOptions(bare.memoryMb),
      machine.bootstrap,
      JSON.stringify({
        ...options.elsewhere,
        ...(bare.secretsExtension && { [EXTENSION]: options.secretsExtension }),
      }),
    ],
    {
      cwd: task,
      env: { ...bare.environment, ...lambdaSets(bare, { task, temporary }), ...options.standIns },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      serialization: 'advanced',
    },
  );
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => (log += bytes));
  const connections: Connection[] = [];
  const init = Promise.withResolvers<'ready' | InitFailure>();
  let initMs = Number.NaN;
  let settle = (_: Outcome): void => undefined;
  child.on('message', (message: BareMessage) => {
    if (message.what === 'connection') connections.push(message);
    else if (message.what === 'outcome') settle(message.outcome);
    else if (message.what === 'init-failed') init.resolve(message);
    else {
      initMs = message.initMs;
      init.resolve('ready');
    }
  });
  const ended = once(child, 'close').then(([code]) => ({
    errorType: 'Runtime.ExitError',
    errorMessage: `The process ended with ${code}: ${log}`,
  }));
  return {
    init: await Promise.race([init.promise, ended]),
    initMs,
    invoke: (event) => {
      const outcome = new Promise<Outcome>((resolve) => {
        settle = resolve;
      });
      child.send(invocationOf(bare, event));
      return Promise.race([outcome, ended.then((why) => ({ kind: 'failed' as const, ...why }))]);
    },
    connections,
    log: () => log,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const invocationOf = ({ name, timeoutSeconds }: BareFunction, event: unknown): Invocation => ({
  // Converts the event as Lambda does, which passes events as JSON.
  event: JSON.parse(JSON.stringify(event)),
  requestId: randomUUID(),
  functionArn: `arn:aws:lambda:eu-central-1:000000000000:function:${name}`,
  deadlineMs: Date.now() + 1_000 * timeoutSeconds,
});

/** The same heap sizes as in the start script of Lambda. */
const heapOptions = (memoryMb: number) => [
  `--max-semi-space-size=${Math.floor((memoryMb * 5) / 100)}`,
  `--max-old-space-size=${Math.floor((memoryMb * 90) / 100)}`,
];

type Folders = { task: string; temporary: string };

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html, "Defined runtime environment variables" */
const lambdaSets = (bare: BareFunction, { task, temporary }: Folders): Record<string, string> => ({
  _HANDLER: bare.handler,
  AWS_DEFAULT_REGION: 'eu-central-1',
  AWS_REGION: 'eu-central-1',
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_NAME: bare.name,
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(bare.memoryMb),
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${bare.name}`,
  AWS_LAMBDA_LOG_STREAM_NAME: '2026/01/01/[$LATEST]00000000000000000000000000000000',
  AWS_LAMBDA_RUNTIME_API: '127.0.0.1:9001',
  AWS_ACCESS_KEY_ID: 'S3RVER',
  AWS_SECRET_ACCESS_KEY: 'S3RVER',
  AWS_SESSION_TOKEN: 'a-session-token',
  LAMBDA_TASK_ROOT: task,
  LAMBDA_RUNTIME_DIR: '/var/runtime',
  LANG: 'en_US.UTF-8',
  PATH: '/var/lang/bin:/usr/local/bin:/usr/bin:/bin:/opt/bin',
  LD_LIBRARY_PATH: '/lib64:/usr/lib64:/opt/lib',
  NODE_PATH: bare.layers ? join(bare.layers, 'nodejs', 'node_modules') : '/opt/nodejs/node_modules',
  TZ: ':UTC',
  // On Lambda, each function has its own /tmp. Functions on this machine do not, so TMPDIR names a folder for each.
  TMPDIR: temporary,
});
