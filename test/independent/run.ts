import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { install } from './install.ts';
import { hasDynamoDbLocal, hasVersitygw } from './tools.ts';

const HELP = `Usage: npm run test:independent -- [--install] [test file or folder] ...

Runs the tests of stores, contract and "npm start" against DynamoDB Local and
versitygw instead of the embedded stand-ins. Without files, runs all of them.

  --install  downloads DynamoDB Local (needs Maven) and versitygw (needs Go) first`;

const INSTALL = 'Run "npm run test:independent -- --install"';
const TESTS = ['test/contract', 'test/shared', 'test/infra/local', 'test/end-to-end'];

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) {
  console.log(HELP);
  process.exit(0);
}
if (args.includes('--install') && !install()) process.exit(1);
const files = args.filter((arg) => arg !== '--install');

const hasJava = spawnSync('java', ['-version']).status === 0;
if (!hasJava) console.log('Skipped DynamoDB Local: it needs Java 17 or newer.');
else if (!hasDynamoDbLocal()) console.log(`Skipped DynamoDB Local: not installed. ${INSTALL}, which needs Maven.`);
if (!hasVersitygw()) console.log(`Skipped versitygw: not installed. ${INSTALL}, which needs Go.`);

if ((hasJava && hasDynamoDbLocal()) || hasVersitygw()) {
  const config = join(import.meta.dirname, 'vitest.config.ts');
  const vitest = join('node_modules', '.bin', 'vitest');
  const { status } = spawnSync(vitest, ['run', '--config', config, ...(files.length > 0 ? files : TESTS)], {
    stdio: 'inherit',
    env: { ...process.env, NODE_OPTIONS: `--import=${new URL('./redirect.ts', import.meta.url)}` },
  });
  process.exitCode = status ?? 1;
}
