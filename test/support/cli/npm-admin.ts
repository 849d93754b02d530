import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { LocalRuntime } from '../local/runtime.ts';

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
