import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const BENCH = join(import.meta.dirname, 'run.ts');

test('0: npm run bench -- --help prints the usage and the sections', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [BENCH, '--help']);
  expect([stdout, stderr]).toEqual([
    expect.stringMatching(/^Usage: npm run bench -- \[section\].*\bproduct\b.*\bsynth\b/s),
    '',
  ]);
});

test('2: npm run bench rejects an unknown section with an error that names --help', async () => {
  const unknown = promisify(execFile)(process.execPath, [BENCH, 'speed']);
  await expect(unknown).rejects.toMatchObject({ code: 2, stderr: expect.stringMatching(/no section speed.*--help/s) });
});
