import { join } from 'node:path';
import { build } from 'rolldown';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..', '..');

test('npm start imports neither the bundler nor the CDK, because it could never release their memory', async () => {
  const { output } = await build({
    cwd: ROOT,
    input: ['infra/local/start.ts', 'infra/local/background/worker.ts'],
    external: /^[^./]/,
    platform: 'node',
    write: false,
    logLevel: 'silent',
  });
  const packages = output.flatMap((file) => (file.type === 'chunk' ? [...file.imports, ...file.dynamicImports] : []));
  expect(packages).toContain('zod/mini');
  expect(packages).not.toContain('rolldown');
  expect(packages).not.toContain('aws-cdk-lib');
});
