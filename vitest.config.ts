import { configDefaults, defineConfig } from 'vitest/config';
import { wrapHandlers } from './test/support/policies/wrap-handlers-plugin.ts';

/** Tests that synthesize stacks. */
const STACKS = [
  'test/infra/operations.test.ts',
  'test/infra/{settings,stacks}/**/*.test.ts',
  'test/infra/cli/{cost/standing,environment/outputs}.test.ts',
  'test/infra/functions/{grants,lambda-function,live-alias}.test.ts',
  'test/infra/policies/public-operations.test.ts',
];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [wrapHandlers],
  test: {
    // Prints the output of a test only if the test fails.
    silent: 'passed-only',
    globalSetup: ['test/support/policies/global-setup.ts', 'test/support/synthesis-folder.ts'],
    setupFiles: ['test/support/logs/capture-logs.ts', 'test/support/policies/enforce-in-tests.ts'],
    env: { VALIDATE_RESPONSES: 'on', TZ: 'UTC' },
    // Slower tests have their own timeouts. For all other tests, a timeout means that the test hangs.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: { name: 'tests', include: ['test/**/*.test.ts'], exclude: [...configDefaults.exclude, ...STACKS] },
      },
      // Loading the CDK and the first synthesis take longer than most of these tests, so they share two processes.
      { extends: true, test: { name: 'stacks', include: STACKS, isolate: false } },
    ],
  },
});
