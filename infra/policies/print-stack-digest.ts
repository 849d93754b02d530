import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';

// Prints a digest of what determines the stacks: their code, the packages, `cdk.json` and the version of Node. The code
// is bundled first, so that comments and unused code don't change the digest.

const ROOT = join(import.meta.dirname, '..', '..');

const { output } = await build({
  cwd: ROOT,
  input: join(import.meta.dirname, 'synthesize-policies.ts'),
  external: /^[^./]/,
  platform: 'node',
  output: { format: 'esm', minify: true, comments: false },
  write: false,
  logLevel: 'silent',
});
const digest = createHash('sha256').update(process.version);
for (const file of output) digest.update(file.type === 'chunk' ? file.code : file.source);
for (const name of ['package-lock.json', 'cdk.json']) digest.update(readFileSync(join(ROOT, name)));
process.stdout.write(digest.digest('hex').slice(0, 32));
