import { existsSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { styleText } from 'node:util';
import type { Context } from 'aws-lambda';
import { ensurePolicyFile } from '../../policies/policy-file.ts';
import { type BackgroundSettings, startBackgroundFunctions } from '../background/run-background.ts';
import type { BackgroundPart } from '../background/worker-client.ts';
import type { RuntimeOutput } from '../common/output.ts';
import type { Route } from '../gateway/routes.ts';
import { startLambdaApi } from '../lambda/api.ts';
import type { FunctionSettings } from '../lambda/context.ts';
import { installLambdaGlobals, type LambdaResponseStream, markStreaming } from '../lambda/globals.ts';
import type { Handler } from '../lambda/load-functions.ts';
import { DEBUG_TIMEOUT_SECONDS } from '../lambda/timeout.ts';
import { lambdaEnvironment } from '../runtime/environment.ts';
import { ROOT } from '../runtime/options.ts';
import type { FunctionRuntime, Runtime } from '../runtime/runtime.ts';
import { type Declarations, readDeclarations } from './declarations.ts';
import { BuildError, type BundleUrls, createDevBundles } from './dev-bundles.ts';
import { type FunctionHost, startFunctionHost } from './function-host.ts';
import { DECLARATIONS } from './host-messages.ts';
import { createHostSlot, type HostSlot } from './host-slot.ts';
import { RESEEDED_FILE } from './reseed.ts';

/** Folders whose sources affect the policies, but are in no bundle. */
const POLICY_SOURCES = /^infra\/(functions|policies|settings|stacks)\//;

type Settings = {
  /** Folder for the bundles, inside the repository. */
  folder: string;
  /** If false, a function can run for a day (`DEBUG_TIMEOUT_SECONDS`), so that a debugger can stop it. */
  timeouts: boolean;
};

export type DevFunctions = FunctionRuntime & {
  /** Connects the running service, so that its gateway gets changed declarations. */
  attach(runtime: Pick<Runtime, 'redeclare'>): void;
  /** Rebuilds and reloads the functions that use the changed files (absolute paths). Prints the result or failure. */
  update(files: readonly string[]): Promise<void>;
};

/** Maximum number of functions that a message names. */
const SHOWN_MAX = 3;

const entryOf = (id: string) =>
  id === DECLARATIONS ? join(import.meta.dirname, 'declarations.ts') : join(ROOT, 'functions', id, 'handler.ts');

/**
 * Runs the functions for `npm run dev`: one host for operations and one for background functions, with unminified
 * bundles. After a change, a new host loads the rebuilt bundles and replaces the earlier host. If a bundle cannot be
 * built, or an operation cannot be loaded, the earlier code stays in use.
 */
export function createDevFunctions({ print, reportError }: RuntimeOutput, settings: Settings): DevFunctions {
  const bundles = createDevBundles(settings.folder, entryOf);
  /** Ids of bundles that could not be built or loaded. The next change builds them again. */
  const failing = new Set<string>();
  const hostUrls = new Map<FunctionHost, BundleUrls>();
  let declared = readDeclarations();
  let policies = '';
  let runtime: Pick<Runtime, 'redeclare'> | undefined;
  let lastFailure = '';
  let policyUpdates = 0;

  const startHost = () => {
    const host = startFunctionHost({ policies }, reportError);
    hostUrls.set(host, bundles.urls());
    void host.ended.then(() => {
      hostUrls.delete(host);
      return bundles.removeExcept([...hostUrls.values()]);
    });
    return host;
  };
  const hosts = {
    operations: createHostSlot(
      startHost,
      bundles.urls,
      reportError,
      declared.operations.map(({ id }) => id),
    ),
    background: createHostSlot(startHost, bundles.urls, reportError),
  };
  const withTimeouts = <F extends FunctionSettings>(declaration: F): F =>
    settings.timeouts
      ? declaration
      : { ...declaration, limits: { ...declaration.limits, timeoutSeconds: DEBUG_TIMEOUT_SECONDS } };
  const isBackground = (id: string) => declared.backgroundFunctions.some((declaration) => declaration.id === id);

  /**
   * Marks bundles as failing, and prints the failure. If the previous failure had the same text, prints only the ids of
   * newly failing bundles.
   */
  const reportFailure = (ids: readonly string[], error: unknown) => {
    const added = ids.filter((id) => !failing.has(id));
    for (const id of added) failing.add(id);
    const failure = error instanceof BuildError ? error.message : String(error);
    if (failure !== lastFailure)
      print(`\n${failure.replace(/^.*/, (line) => styleText('red', line))}\n\n  Save a correction to continue.`);
    else if (added.length > 0) print(`  ${describeBundles(added)} not rebuilt. Correct the failure above first.`);
    lastFailure = failure;
  };
  /** Builds bundles, and loads the bundles of operations. Prints the result or failure. */
  const rebuild = async (ids: readonly string[]): Promise<void> => {
    const startMs = performance.now();
    let declarations: Declarations | undefined;
    const loaded = ids.filter((id) => !isBackground(id));
    const policiesAtStart = policies;
    // Start the host before the build, so that its thread starts while the bundler works.
    const next = loaded.length > 0 ? startHost() : undefined;
    try {
      const { urls, commit } = await bundles.build(ids);
      if (next !== undefined) hostUrls.set(next, urls);
      await next?.open(urls, loaded);
      if (ids.includes(DECLARATIONS)) declarations = await next?.describe();
      commit();
    } catch (error) {
      next?.retire();
      reportFailure(ids, error);
      return;
    }
    for (const id of ids) failing.delete(id);
    lastFailure = '';
    if (next !== undefined) hosts.operations.replace(policies === policiesAtStart ? next : undefined);
    if (policies !== policiesAtStart) next?.retire();
    // The next background invocation starts a new host. Starting the host now would delay the host of the operations.
    if (ids.length > loaded.length) hosts.background.replace(undefined);
    print(`  ${describeBundles(ids)} rebuilt in ${Math.round(performance.now() - startMs)} ms.`);
    if (declarations !== undefined) await redeclare(declarations);
  };
  const restartHosts = () => {
    for (const slot of Object.values(hosts)) slot.replace(undefined);
  };
  /** Takes seconds if the policies have changed. Meanwhile, functions run with the earlier policies. */
  const updatePolicies = async () => {
    policyUpdates += 1;
    const update = policyUpdates;
    const file = await ensurePolicyFile();
    // If a later update has started, ignore this result, because the later update reads newer sources.
    if (file === policies || update !== policyUpdates) return;
    policies = file;
    restartHosts();
    print('  The functions run with their new policies.');
  };
  const startPolicyUpdate = () =>
    void updatePolicies().catch((error: unknown) =>
      reportError('The policies could not be synthesized, so the functions keep their earlier policies', error),
    );
  const redeclare = async (declarations: Declarations) => {
    const before = declared;
    declared = declarations;
    const added = idsOf(declared).filter((id) => bundles.urls()[id] === undefined);
    if (added.length > 0) await rebuild(added);
    runtime?.redeclare(declared);
    if (JSON.stringify(permissionsOf(before)) !== JSON.stringify(permissionsOf(declared))) {
      print('  The declarations have changed. Synthesizing the policies of the functions …');
      startPolicyUpdate();
    }
    if (JSON.stringify(before.backgroundFunctions) !== JSON.stringify(declared.backgroundFunctions)) {
      print('  To apply changed triggers and timeouts of background functions, restart npm run dev.');
    }
  };
  return {
    prepareOperations: async (file) => {
      policies = file;
      installLambdaGlobals();
      // No host starts yet, because the environment of the functions is not complete.
      const ids = [...idsOf(declared), DECLARATIONS];
      await bundles.build(ids).then(
        ({ commit }) => commit(),
        (error: unknown) => reportFailure(ids, error),
      );
      return (id) => toHandler(hosts.operations, withTimeouts(find(declared.operations, id)));
    },
    startBackground: ({ checkpointsFolder }) =>
      startBackground({
        functions: declared.backgroundFunctions.map(withTimeouts),
        getFunction: (id) => toHandler(hosts.background, withTimeouts(find(declared.backgroundFunctions, id))),
        checkpointsFolder,
        reportError,
      }),
    attach: (attached) => {
      runtime = attached;
      hosts.operations.current();
    },
    update: async (files) => {
      const affected = new Set([...failing, ...bundles.affectedBy(files)]);
      // A function whose handler was deleted is not built again.
      const ids = [...affected].filter((id) => existsSync(entryOf(id)));
      const paths = files.map((file) => relative(ROOT, file));
      for (const hint of new Set(paths.flatMap((path) => hintFor(path) ?? []))) print(`  ${hint}`);
      if (files.some((file) => basename(file) === RESEEDED_FILE)) restartHosts();
      if (ids.length > 0) await rebuild(ids);
      if (paths.some((path) => POLICY_SOURCES.test(path))) startPolicyUpdate();
    },
  };
}

/** Starts the event source mappings, the schedules and the Lambda stand-in in this thread. */
async function startBackground(settings: BackgroundSettings): Promise<BackgroundPart> {
  const { functions, reportError } = settings;
  const lambda = await startLambdaApi({
    functions: functions.filter(({ trigger }) => 'invoked' in trigger),
    invoke: ({ id }, event, requestId) => background.invoke(id, event, requestId),
    reportError,
  });
  // A host gets the address of the Lambda stand-in from the environment of this process.
  Object.assign(process.env, lambdaEnvironment(lambda.port));
  const background = await startBackgroundFunctions(settings);
  return {
    lambdaPort: lambda.port,
    crashed: new Promise(() => undefined),
    stop: async () => {
      await lambda.stop();
      await background.stop();
    },
  };
}

const idsOf = ({ operations, backgroundFunctions }: Declarations) =>
  [...operations, ...backgroundFunctions].map(({ id }) => id);

/** The declarations from which the policies are synthesized. */
const permissionsOf = ({ operations, backgroundFunctions }: Declarations) =>
  [...operations, ...backgroundFunctions].map(({ id, grants }) => ({ id, grants }));

function find<F extends FunctionSettings>(functions: readonly F[], id: string): F {
  const found = functions.find((declaration) => declaration.id === id);
  if (found === undefined) throw new Error(`functions/declarations.ts lists no function ${id}.`);
  return found;
}

/** Returns a handler that runs the function in the current host. */
function toHandler(slot: HostSlot, declared: FunctionSettings & Pick<Route, 'streamContentTypes'>): Handler {
  const settings = { id: declared.id, limits: declared.limits };
  const toInvocation = (event: unknown, context: Context) => ({ settings, event, requestId: context.awsRequestId });
  const buffered = (event: unknown, context: Context) => slot.current().invoke(toInvocation(event, context));
  const streaming = (event: unknown, stream: LambdaResponseStream, context: Context) =>
    slot.current().invoke(toInvocation(event, context), stream);
  return (declared.streamContentTypes === undefined ? buffered : markStreaming(streaming)) as Handler;
}

/**
 * Returns the beginning of a message, for example `funnel/submit, funnel/upload, funnel/mfa-send and 13 other functions
 * were`.
 */
function describeBundles(ids: readonly string[]): string {
  const functions = ids.filter((id) => id !== DECLARATIONS);
  if (functions.length === 0) return 'The declarations were';
  const others = functions.length - SHOWN_MAX;
  const shown = functions.slice(0, SHOWN_MAX).join(', ');
  if (others <= 0) return `${shown} ${functions.length === 1 ? 'was' : 'were'}`;
  return `${shown} and ${others} ${others === 1 ? 'other function' : 'other functions'} were`;
}

/**
 * If a rebuild does not apply the change of a file, returns what the developer must do. Otherwise, returns undefined.
 */
function hintFor(path: string): string | undefined {
  if (/^infra\/local\/seed\/.*\.(ts|json)$/.test(path))
    return 'To write the changed demo data, run "npm run dev -- --reseed".';
  if (/^(infra\/(local|stacks|common)\/.*\.(ts|js|json|html|css)|package(-lock)?\.json)$/.test(path))
    return `To apply the change of ${path}, restart npm run dev.`;
  return undefined;
}
