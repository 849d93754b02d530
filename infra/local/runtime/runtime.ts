import { rmSync } from 'node:fs';
import { operations } from '../../../functions/operations.ts';
import { buildOpenApiDocument } from '../../openapi/document.ts';
import { ensurePolicyFile } from '../../policies/policy-file.ts';
import { startBackgroundWorker } from '../background/worker-client.ts';
import { edgeStepMs } from '../cloudfront/settings.ts';
import type { RuntimeOutput } from '../common/output.ts';
import { rehearsalSettings } from '../elevenlabs/settings.ts';
import { type Emulators, startEmulators } from '../emulators/launcher.ts';
import { startPages } from '../example-page/server.ts';
import { createGateway } from '../gateway/gateway.ts';
import type { GatewayConfig } from '../gateway/request-listener.ts';
import { enforceLocalPolicies } from '../lambda/enforce-policies.ts';
import { installLambdaGlobals } from '../lambda/globals.ts';
import { loadFunctions } from '../lambda/load-functions.ts';
import { withTimeout } from '../lambda/timeout.ts';
import { createLocalIssuer, ISSUER } from '../oidc/issuer.ts';
import type { Demo } from '../seed/demo-json.ts';
import { seed } from '../seed/seed.ts';
import { describeDemo } from './describe-demo.ts';
import {
  AI_SECRET,
  address,
  applyEnvironment,
  BUCKETS,
  CDN_SECRET,
  ENVIRONMENT_FILE,
  functionEnvironment,
  HASH_SECRET,
  LEAD_SECRET,
  lambdaEnvironment,
  sdkEnvironment,
  VOICE_SECRET,
  VOICE_WEBHOOK_SECRET,
} from './environment.ts';
import type { StartOptions } from './options.ts';
import { toPortError } from './port-errors.ts';
import { provision } from './provision.ts';
import { type LocalSecrets, loadOrCreateSecrets } from './secrets.ts';
import type { StateFolder } from './state-folder.ts';
import { modelKey } from './text-model.ts';

export type Runtime = {
  demo: Demo;
  /** Resolves with a sentence when a part has ended by itself. */
  failed: Promise<string>;
  stop(): Promise<void>;
};

const SEEDED = 'seeded';
const WITH_SESSIONS = 'with sessions';
const WITHOUT_SESSIONS = 'without sessions';
/** With the stream itself, all that the event source must not lose. */
const POSITIONS_FOLDER = 'stream-positions';
const EMULATED = ['dynamodb', 'kinesis', 's3', 'voice', 'edge', 'dns', POSITIONS_FOLDER];
const GRACE_MS = 2_000;
const PROVISION_SECONDS = 20;
/** It holds tokens and a secret. */
const OWNER_ONLY = 0o600;

/**
 * Brings everything up: stand-ins, tables, functions, demo data, pages. The gateway claims its port first and opens
 * last, so that whoever gets an answer other than 503 finds everything there; it also ends first.
 *
 * @throws FriendlyError for what the person at the terminal can mend
 */
export async function startRuntime(options: StartOptions, state: StateFolder, voice: RuntimeOutput): Promise<Runtime> {
  const gateway = createGateway(voice.reportError, voice.logRequest);
  const ends: End[] = [];
  const stop = async () => {
    await gateway.close(GRACE_MS);
    for (const end of ends.splice(0).reverse()) await end().catch(() => undefined);
  };
  try {
    await gateway
      .listen(options.port)
      .catch((error: unknown) => Promise.reject(toPortError(error, 'api', options.port)));
    const { service, ...running } = await bringUp(options, state, voice, ends);
    gateway.open(service);
    return { ...running, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type End = () => Promise<unknown>;

async function bringUp(options: StartOptions, state: StateFolder, voice: RuntimeOutput, ends: End[]) {
  const { port, rateLimits } = options;
  const { reportError: report } = voice;
  const secrets = loadOrCreateSecrets(state);
  const made = ensurePolicyFile(voice.print);
  // Where something else fails first, that is what is told.
  made.catch(() => undefined);
  const pages = await startPages(port + 1).catch((error: unknown) =>
    Promise.reject(toPortError(error, 'pages', port + 1)),
  );
  ends.push(pages.close);
  const emulators = await bringUpEmulators(state, secrets, port);
  ends.push(emulators.stop);
  const corsOrigins = [address(pages.port), `http://localhost:${pages.port}`, ...options.origins];
  const { endpoints } = emulators;
  const settings = { ...sdkEnvironment(endpoints), ...functionEnvironment(endpoints, corsOrigins) };
  applyEnvironment({ ...settings, TMPDIR: state.folder('tmp') });

  const policies = await made;
  enforceLocalPolicies(policies, report);
  installLambdaGlobals();
  const ids = operations.map(({ id }) => id);
  const [functionOf] = await Promise.all([loadFunctions(ids), withTimeout(provision(), PROVISION_SECONDS)]);
  await seedOnce(state, options, voice);

  const background = await startBackgroundWorker(
    { checkpointsFolder: state.folder(POSITIONS_FOLDER), policies },
    report,
  );
  ends.push(background.stop);
  const lambda = lambdaEnvironment(background.lambdaPort);
  Object.assign(process.env, lambda);
  const demo = await describeDemo({
    endpoints,
    secrets,
    issuer: createLocalIssuer(secrets),
    port,
    pagesPort: pages.port,
  });
  pages.show(demo);
  state.write(ENVIRONMENT_FILE, JSON.stringify({ ...settings, ...lambda }, undefined, 2), OWNER_ONLY);
  state.write('demo.json', `${JSON.stringify(demo, undefined, 2)}\n`, OWNER_ONLY);
  const openapi = JSON.stringify(buildOpenApiDocument(operations));
  const failed = Promise.race([
    emulators.crashed.then(() => 'The stand-ins of AWS have ended: see emulators.log.'),
    background.crashed.then(() => 'The background functions have ended: see functions.log.'),
  ]);
  const origins = { configured: corsOrigins, anyLoopback: options.origins.length === 0 };
  const service: GatewayConfig = {
    operations,
    getFunction: functionOf,
    openapi,
    origins,
    rateLimits,
    reportError: report,
  };
  return { service, demo, failed };
}

/** State of a seed that never ended is no state: it goes, and the seed starts over. */
async function bringUpEmulators(state: StateFolder, secrets: LocalSecrets, port: number): Promise<Emulators> {
  if (state.read(SEEDED) === undefined) {
    for (const name of EMULATED) rmSync(state.path(name), { recursive: true, force: true });
  }
  const voice = rehearsalSettings(address(port), secrets.values.voiceWebhook);
  return startEmulators({
    folder: state.path(),
    buckets: Object.values(BUCKETS),
    issuerKey: secrets.issuerKey,
    secrets: {
      [LEAD_SECRET]: secrets.values.leads,
      [HASH_SECRET]: secrets.values.hashes,
      [CDN_SECRET]: secrets.values.cdn,
      [AI_SECRET]: modelKey(),
      [VOICE_SECRET]: voice.apiKey,
      [VOICE_WEBHOOK_SECRET]: voice.webhookSecret,
    },
    voice,
    edgeStepMs: edgeStepMs(process.env.LOCAL_EDGE_STEP_MS),
  });
}

async function seedOnce(state: StateFolder, { empty }: StartOptions, { print: say }: RuntimeOutput): Promise<void> {
  const seeded = state.read(SEEDED);
  if (seeded !== undefined) {
    if (empty && seeded === WITH_SESSIONS) say('  The demo has its sessions already: --empty needs --reset.');
    return;
  }
  await seed({ issuerUrl: ISSUER, buckets: BUCKETS, empty, progress: (text) => say(`  ${text}`) });
  state.write(SEEDED, empty ? WITHOUT_SESSIONS : WITH_SESSIONS);
}
