import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const MODULE = JSON.stringify(join(import.meta.dirname, '../../../../infra/local/lambda/logs.ts'));

test('a log that cannot be written is reported once at the terminal and does not end the process', async () => {
  const script = `import { redirectFunctionLogs } from ${MODULE};
    redirectFunctionLogs('/dev/full', '/dev/null');
    for (let line = 0; line < 3; line++) {
      console.log('a line');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  expect(stdout).toBe('  Logging failed: /dev/full cannot be written: its disk is full.\n');
});

test('if the terminal is closed, the service continues, and its log stays small', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-logs-'));
  const log = join(folder, 'functions.log');
  const script = `import { redirectFunctionLogs } from ${MODULE};
    const { print, reportError } = redirectFunctionLogs(${JSON.stringify(log)}, ${JSON.stringify(`${log}.metrics`)});
    process.on('uncaughtException', (error) => reportError('Unexpected error', error));
    setInterval(() => print('still running'), 5);`;
  const service = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  await new Promise((resolve) => service.stdout.once('data', resolve));
  service.stdout.destroy();
  service.stderr.destroy();
  await delay(500);
  const { exitCode } = service;
  service.kill('SIGKILL');
  expect(exitCode).toBeNull();
  expect((await stat(log)).size).toBeLessThan(10_000);
  await rm(folder, { recursive: true });
});
