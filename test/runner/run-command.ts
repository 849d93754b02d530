import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Path of a program that an installed package provides. */
export const bin = (name: string) => join('node_modules', '.bin', name);

/**
 * Runs a program and waits until it ends. If this process receives SIGTERM, it terminates the program, and then itself.
 *
 * @param outputMode `print` shows the output, `capture` returns it
 */
export function run(
  command: string,
  args: string[],
  outputMode: 'capture' | 'print',
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: outputMode === 'print' ? 'inherit' : ['ignore', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
    let isTerminated = false;
    const terminate = () => {
      isTerminated = true;
      child.kill();
    };
    process.once('SIGTERM', terminate);
    child.on('error', reject);
    child.on('close', (code) => {
      process.off('SIGTERM', terminate);
      if (isTerminated) process.kill(process.pid, 'SIGTERM');
      resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() });
    });
  });
}
