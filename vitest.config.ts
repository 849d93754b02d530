import { defineConfig } from 'vitest/config';
import { wrapHandlers } from './test/support/policies/wrap-handlers-plugin.ts';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [wrapHandlers],
  test: {
    // Prints the output of a test only if the test fails.
    silent: 'passed-only',
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/policies/global-setup.ts'],
    setupFiles: ['test/support/logs/capture-logs.ts', 'test/support/policies/enforce-in-tests.ts'],
    env: { VALIDATE_RESPONSES: 'on', TZ: 'UTC' },
    // Slower tests have their own timeouts. For all other tests, a timeout means that the test hangs.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
