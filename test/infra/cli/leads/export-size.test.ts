import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('60,000 leads of 4 KB, 245 MB in total, are exported with a heap of 48 MB', async () => {
  const script = fileURLToPath(import.meta.resolve('./export-memory.ts'));
  const args = ['--max-old-space-size=48', '--max-semi-space-size=4', script, '60000'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toMatch(/^Exported 60,000 leads\.\n24\d{7} bytes\n$/);
}, 60_000);
