import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { connectToEnvironment } from '../../../infra/cli/environment/target-environment.ts';
import type { LocalRuntime } from '../local/runtime.ts';
import { admin, type CliResult } from './admin.ts';
import { withEnvironmentRestored } from './environment.ts';

const ROOT = join(import.meta.dirname, '../../..');

type NpmResult = { code: number | null; out: string; err: string };

/** Runs an operator command through npm, against a running `npm start`. */
export function npmAdmin({ state }: Pick<LocalRuntime, 'state'>, ...args: string[]): Promise<NpmResult> {
  const whole = ['run', '-s', 'admin', '--', ...args, '--state', state];
  return new Promise((resolve) => {
    execFile('npm', whole, { cwd: ROOT, maxBuffer: 1e8 }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

/**
 * Runs an operator command in this process, against a running `npm start`. This takes a tenth of the CPU time of
 * `npmAdmin`. A test file can use it for only one runtime, because the AWS clients keep the address of their first
 * request.
 */
export const adminOf = ({ state }: Pick<LocalRuntime, 'state'>, ...args: string[]): Promise<CliResult> =>
  withEnvironmentRestored(() => admin([...args, '--state', state], { connect: connectToEnvironment }));
