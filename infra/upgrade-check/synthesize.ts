import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudAssembly } from 'aws-cdk-lib/cx-api';
import { printable } from '../cli/terminal/printable.ts';
import { UserError } from '../common/user-error.ts';
import type { DeployArguments } from '../deploy/arguments.ts';
import { LAYER_RULE } from '../functions/duckdb-layer.ts';
import type { Template } from './template-changes.ts';

/** A stack that a deployment would create or update. */
export type NextStack = { name: string; template: Template };

/** Returns the stacks that `npm run deploy` would deploy with these settings, in the order of the deployment. */
export type Synthesize = (settings: DeployArguments, note: (line: string) => void) => Promise<NextStack[]>;

/**
 * Synthesizes the stacks with the CDK CLI, as `npm run deploy` does.
 *
 * @param note receives the output of the CDK CLI if the CDK CLI fails
 * @throws UserError if the CDK CLI fails, or if the DuckDB layer is missing or outdated
 */
export const synthesize: Synthesize = async ({ context, profile }, note) => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-upgrade-check-'));
  try {
    const settings = Object.entries(context).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const account = profile === undefined ? [] : ['--profile', profile];
    const { code, output } = await runCdk(['synth', '--quiet', '--output', folder, ...settings, ...account]);
    if (code !== 0) {
      note(printable(output));
      throw new UserError('The stacks could not be synthesized. The messages above say why.');
    }
    const stacks = new CloudAssembly(folder).stacks.map(({ stackName, template }) => ({ name: stackName, template }));
    if (stacks.some(({ template }) => template.Rules?.[LAYER_RULE] !== undefined))
      throw new UserError('The DuckDB layer is missing or outdated. Run "npm run layer", then run this check again.');
    return stacks;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** The limit is high, because the CDK CLI prints all warnings of all stacks. */
const OUTPUT_BYTES_MAX = 64_000_000;

function runCdk(args: readonly string[]): Promise<{ code: unknown; output: string }> {
  return new Promise((resolve) => {
    execFile('cdk', args, { maxBuffer: OUTPUT_BYTES_MAX }, (error, out, err) =>
      resolve({ code: error === null ? 0 : error.code, output: `${out}${err}`.trim() || String(error?.message) }),
    );
  });
}
