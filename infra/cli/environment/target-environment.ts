import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod/mini';
import { tryParseJson } from '../../common/parse-json.ts';
import { errorCode, UserError } from '../../common/user-error.ts';
import { applyEnvironment, ENVIRONMENT_FILE } from '../../local/runtime/environment.ts';
import { ROOT } from '../../local/runtime/options.ts';
import { isLockHeld, LOCK_FILE } from '../../local/runtime/process-lock.ts';
import { outputsFileName } from '../../names.ts';
import { environmentOfOutputs } from '../../outputs.ts';

export type EnvironmentOptions = {
  state: string;
  /** Name of a deployed stage. Default: the local environment. */
  stage?: string | undefined;
  /** The file with the outputs of the deployment. Default: the file that `npm run deploy` writes. */
  outputs?: string | undefined;
};

/** The environment that a command is connected to. */
export type TargetEnvironment = {
  /** Maximum time until a write is visible in an index, in milliseconds. */
  indexDelayMs: number;
  /** The base URL of a deployment's API, without `/api/v2/`. */
  apiAddress?: string | undefined;
  /** The alternative path of ingest-analytics in a deployment, with `{id}` for the funnel id. */
  ingestPath?: string | undefined;
};

const INDEX_DELAY_MS = 1_000;

const Environment = z.record(z.string(), z.string());
const Outputs = z.record(z.string(), z.record(z.string(), z.string()));

/**
 * Configures the SDK and the settings for the local environment or a deployment.
 *
 * @throws UserError if the local environment is not ready, there are no outputs of the stage, or no AWS region is set
 */
export async function connectToEnvironment({ state, stage, outputs }: EnvironmentOptions): Promise<TargetEnvironment> {
  if (stage === undefined) {
    applyEnvironment(localEnvironment(resolve(state)));
    return { indexDelayMs: 0 };
  }
  const { environment, ...address } = deployed(stage, resolve(outputs ?? join(ROOT, outputsFileName(stage))));
  Object.assign(process.env, environment);
  return { indexDelayMs: INDEX_DELAY_MS, ...address };
}

function localEnvironment(folder: string): Record<string, string> {
  const file = join(folder, ENVIRONMENT_FILE);
  if (!isLockHeld(folder)) {
    throw new UserError(
      `Tributary is not running with the state in ${folder}: start it with "npm start" in another terminal, ` +
        'give the state folder of a running environment with --state, or give a deployed stage with --stage.',
    );
  }
  // A file that is older than the lock is ignored, because it contains the ports of an earlier run.
  const settings = writtenMs(file) < writtenMs(join(folder, LOCK_FILE)) ? undefined : readJsonFile(file, Environment);
  if (settings === undefined) throw new UserError('Tributary is still starting: try again in a moment.');
  return settings;
}

function deployed(stage: string, file: string) {
  const stacks = readJsonFile(file, Outputs);
  const outputs = stacks?.[`tributary-${stage}-data`];
  if (outputs === undefined) {
    throw new UserError(
      `${file} does not exist, or has no outputs of the stage ${stage}: ` +
        `deploy the stage with "npm run deploy -- --stage ${stage}", or give another file with --outputs.`,
    );
  }
  // Also reads AWS_DEFAULT_REGION, because the SDK for JavaScript does not read it.
  const AWS_REGION = process.env.AWS_REGION || process.env.AWS_DEFAULT_REGION;
  if (!AWS_REGION) {
    throw new UserError('AWS_REGION is not set: set it to the region of the deployment, and provide AWS credentials.');
  }
  const api = stacks?.[`tributary-${stage}-api`];
  const settings = environmentOfOutputs({ ...stacks?.[`tributary-${stage}-streaming`], ...api, ...outputs });
  const { ApiAddress: apiAddress, IngestPath: ingestPath } = api ?? {};
  return { environment: { AWS_REGION, ...settings }, apiAddress, ingestPath };
}

/** Returns the parsed file, or undefined if the file is missing or does not match the schema. */
export function readJsonFile<T>(file: string, schema: z.ZodMiniType<T>): T | undefined {
  try {
    return schema.safeParse(tryParseJson(readFileSync(file, 'utf8'))).data;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns when a file was last written; 0 if the file is missing. */
function writtenMs(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
