import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBackgroundWorker } from '../../../../infra/local/background/worker-client.ts';
import { ensurePolicyFile } from '../../../../infra/policies/policy-file.ts';

test('if the worker thread cannot start, startBackgroundWorker reports the error and rejects', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-worker-'));
  const checkpointsFolder = join(folder, 'a-file');
  await writeFile(checkpointsFolder, '');
  const policies = await ensurePolicyFile();
  const reports: string[] = [];
  await expect(startBackgroundWorker({ checkpointsFolder, policies }, (what) => reports.push(what))).rejects.toThrow(
    'exited before it was ready',
  );
  expect(reports).toEqual(['The background functions have stopped']);
  await rm(folder, { recursive: true });
});
