import { spawn } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBackgroundWorker } from '../../../../infra/local/background/worker-client.ts';
import { ensurePolicyFile } from '../../../../infra/policies/policy-file.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-failures-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a background thread that can not start is a failure, not a wait for ever', async () => {
  const positionsFolder = join(folder, 'a-file');
  await writeFile(positionsFolder, '');
  const policies = await ensurePolicyFile();
  const told: string[] = [];
  await expect(
    startBackgroundWorker({ checkpointsFolder: positionsFolder, policies }, (what) => told.push(what)),
  ).rejects.toThrow('ended at once');
  expect(told).toEqual(['The background functions have ended']);
});

test('a terminal that goes away neither ends the service nor fills its log', async () => {
  const log = join(folder, 'functions.log');
  const module = join(import.meta.dirname, '../../../../infra/local/lambda/logs.ts');
  const script = `import { redirectFunctionLogs } from ${JSON.stringify(module)};
    const { print, reportError } = redirectFunctionLogs(${JSON.stringify(log)}, ${JSON.stringify(`${log}.metrics`)});
    process.on('uncaughtException', (error) => reportError('Something failed', error));
    setInterval(() => print('still here'), 5);`;
  const service = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  await new Promise((resolve) => service.stdout.once('data', resolve));
  service.stdout.destroy();
  service.stderr.destroy();
  await delay(500);
  const { exitCode } = service;
  service.kill('SIGKILL');
  expect(exitCode).toBeNull();
  expect((await stat(log)).size).toBeLessThan(10_000);
});
