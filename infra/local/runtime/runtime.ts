import { rmSync } from 'node:fs';
import { operations } from '../../../functions/declarations.ts';
import { buildOpenApiDocument } from '../../openapi/document.ts';
import { ensurePolicyFile } from '../../policies/policy-file.ts';
import type { BackgroundPart, WorkerSettings } from '../background/worker-client.ts';
import { parseEdgeStepMs } from '../cloudfront/settings.ts';
import type { ReportError, RuntimeOutput } from '../common/output.ts';
import { createRehearsalSettings } from '../elevenlabs/settings.ts';
import { type Emulators, startEmulators } from '../emulators/launcher.ts';
import { startPages } from '../example-page/server.ts';
import { createGateway } from '../gateway/gateway.ts';
import type { GatewayConfig } from '../gateway/request-listener.ts';
import type { GetFunction } from '../lambda/load-functions.ts';
import { withTimeout } from '../lambda/timeout.ts';
import { createLocalIssuer, ISSUER } from '../oidc/issuer.ts';
import type { Demo } from '../seed/demo-json.ts';
import { seed } from '../seed/seed.ts';
import { startWebhookReceiver } from '../webhook-receiver/server.ts';
import { describeDemo } from './describe-demo.ts';
import {
  AI_SECRET,
  address,
  apiEnvironment,
  applyEnvironment,
  BUCKETS,
  CDN_SECRET,
  ENVIRONMENT_FILE,
  functionEnvironment,
  HASH_SECRET,
  LEAD_SECRET,
  lambdaEnvironment,
  NOTIFICATION_SECRET,
  sdkEnvironment,
  VOICE_SECRET,
  VOICE_WEBHOOK_SECRET,
  WEBHOOK_SECRET,
  webhookEnvironment,
} from './environment.ts';
import type { StartOptions } from './options.ts';
import { toPortError } from './port-errors.ts';
import { provision } from './provision.ts';
import { type LocalSecrets, loadOrCreateSecrets } from './secrets.ts';
import type { StateFolder } from './state-folder.ts';
import { modelKey } from './text-model.ts';

/** How the functions run: from the built bundles (`npm start`), or rebuilt after each save (`npm run dev`). */
export type FunctionRuntime = {
  /** @param policies path of the policy file */
  prepareOperations(policies: string, reportError: ReportError): Promise<GetFunction>;
  startBackground(settings: WorkerSettings, reportError: ReportError): Promise<BackgroundPart>;
};

/** The part of the gateway's configuration that comes from the declarations. */
type Declared = Pick<GatewayConfig, 'operations' | 'openapi'>;

export type Runtime = {
  demo: Demo;
  /** Replaces the operations and the OpenAPI document that the gateway serves. */
  redeclare(declared: Declared): void;
  /** Resolves with a message when the AWS stand-ins or the background functions have crashed. */
  failed: Promise<string>;
  stop(): Promise<void>;
};

export type RuntimeOptions = StartOptions & Pick<GatewayConfig, 'timeouts'>;

const SEEDED = 'seeded';
const WITH_SESSIONS = 'with sessions';
const WITHOUT_SESSIONS = 'without sessions';
/**
 * Checkpoints are deleted together with the stream. Otherwise, the event source mapping would skip or repeat records.
 */
const CHECKPOINTS_FOLDER = 'stream-positions';
const STAND_IN_FOLDERS = ['dynamodb', 'kinesis', 's3', 'voice', 'edge', 'dns', CHECKPOINTS_FOLDER];
const STOP_GRACE_MS = 2_000;
const PROVISION_TIMEOUT_SECONDS = 20;
/** Mode of files that contain tokens or secrets. */
const OWNER_ONLY = 0o600;

/**
 * Starts the stand-ins and the pages, creates the tables, loads the functions and seeds the demo. The gateway listens
 * first and responds 503 until everything is ready. `stop` closes the gateway first.
 *
 * @throws UserError for an error that the person at the terminal can solve; any other error unchanged
 */
export async function startRuntime(
  options: RuntimeOptions,
  state: StateFolder,
  output: RuntimeOutput,
  functions: FunctionRuntime,
): Promise<Runtime> {
  const gateway = createGateway(output.reportError, output.writeAccessLog);
  const started: Stoppable[] = [];
  const stop = async () => {
    await gateway.close(STOP_GRACE_MS);
    for (const part of started.splice(0).reverse()) await part.stop().catch(() => undefined);
  };
  try {
    await gateway
      .listen(options.port)
      .catch((error: unknown) => Promise.reject(toPortError(error, 'api', options.port)));
    const { config, ...runtime } = await startParts({ options, state, output, functions, started });
    gateway.open(config);
    return { ...runtime, redeclare: (declared) => gateway.open({ ...config, ...declared }), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Stoppable = { stop(): Promise<unknown> };

type Start = {
  options: RuntimeOptions;
  state: StateFolder;
  output: RuntimeOutput;
  functions: FunctionRuntime;
  /** Lists the servers and workers that have started, so that the caller can stop them, also after a failed start. */
  started: Stoppable[];
};

async function startParts({ options, state, output, functions, started }: Start) {
  const { port, rateLimits, timeouts } = options;
  const { reportError } = output;
  const secrets = loadOrCreateSecrets(state);
  const policyFile = ensurePolicyFile(output.print);
  // The promise is awaited below. Until then, a rejection must not be reported as unhandled.
  policyFile.catch(() => undefined);
  const pages = await startPages(port + 1).catch((error: unknown) =>
    Promise.reject(toPortError(error, 'pages', port + 1)),
  );
  started.push({ stop: pages.close });
  const receiver = await startWebhookReceiver(port + 2, state).catch((error: unknown) =>
    Promise.reject(toPortError(error, 'webhookReceiver', port + 2)),
  );
  started.push({ stop: receiver.close });
  const emulators = await startEmulatorsWith(state, secrets, port);
  started.push(emulators);
  const { endpoints } = emulators;
  const corsOrigins = [address(pages.port), `http://localhost:${pages.port}`, ...options.origins];
  const environment = {
    ...sdkEnvironment(endpoints),
    ...functionEnvironment(endpoints, corsOrigins),
    ...webhookEnvironment([address(receiver.port), ...options.webhookOrigins]),
    ...apiEnvironment(port),
  };
  applyEnvironment({ ...environment, TMPDIR: state.folder('tmp') });

  const policies = await policyFile;
  const [getFunction] = await Promise.all([
    functions.prepareOperations(policies, reportError),
    withTimeout(provision(), PROVISION_TIMEOUT_SECONDS),
  ]);
  await seedOnce(state, options, output);

  const checkpointsFolder = state.folder(CHECKPOINTS_FOLDER);
  const background = await functions.startBackground({ checkpointsFolder, policies }, reportError);
  started.push(background);
  const lambda = lambdaEnvironment(background.lambdaPort);
  Object.assign(process.env, lambda);
  const issuer = createLocalIssuer(secrets);
  const demo = await describeDemo({
    endpoints,
    secrets,
    issuer,
    port,
    pagesPort: pages.port,
    receiverPort: receiver.port,
  });
  pages.show(demo);
  state.write(ENVIRONMENT_FILE, JSON.stringify({ ...environment, ...lambda }, undefined, 2), OWNER_ONLY);
  state.write('demo.json', `${JSON.stringify(demo, undefined, 2)}\n`, OWNER_ONLY);
  const failed = Promise.race([
    emulators.crashed.then(() => 'The AWS stand-ins have crashed. See emulators.log in the state folder.'),
    background.crashed.then(() => 'The background functions have crashed. See functions.log in the state folder.'),
  ]);
  const config: GatewayConfig = {
    operations,
    getFunction,
    openapi: JSON.stringify(buildOpenApiDocument(operations)),
    origins: { configured: corsOrigins, anyLoopback: options.origins.length === 0 },
    rateLimits,
    timeouts,
    reportError,
  };
  return { config, demo, failed };
}

/** Starts the stand-ins. Deletes the data of an interrupted seed first, so that the seed starts from the beginning. */
async function startEmulatorsWith(state: StateFolder, secrets: LocalSecrets, port: number): Promise<Emulators> {
  if (state.read(SEEDED) === undefined) {
    for (const name of STAND_IN_FOLDERS) rmSync(state.path(name), { recursive: true, force: true });
  }
  const voice = createRehearsalSettings(address(port), secrets.values.voiceWebhook);
  return startEmulators({
    folder: state.path(),
    buckets: Object.values(BUCKETS),
    issuerKey: secrets.issuerKey,
    secrets: {
      [LEAD_SECRET]: secrets.values.leads,
      [HASH_SECRET]: secrets.values.hashes,
      [CDN_SECRET]: secrets.values.cdn,
      [WEBHOOK_SECRET]: secrets.values.webhooks,
      [NOTIFICATION_SECRET]: secrets.values.notifications,
      [AI_SECRET]: modelKey(),
      [VOICE_SECRET]: voice.apiKey,
      [VOICE_WEBHOOK_SECRET]: voice.webhookSecret,
    },
    voice,
    edgeStepMs: parseEdgeStepMs(process.env.LOCAL_EDGE_STEP_MS),
  });
}

async function seedOnce(state: StateFolder, { empty }: StartOptions, { print }: RuntimeOutput): Promise<void> {
  const seeded = state.read(SEEDED);
  if (seeded !== undefined) {
    if (empty && seeded === WITH_SESSIONS) {
      print('  The demo already has sessions. To start without sessions, add --reset, which deletes the state.');
    }
    return;
  }
  await seed({ issuerUrl: ISSUER, buckets: BUCKETS, empty, progress: (text) => print(`  ${text}`) });
  state.write(SEEDED, empty ? WITHOUT_SESSIONS : WITH_SESSIONS);
}
