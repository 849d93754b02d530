import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { wrapHandlers } from './support/policies/wrap-handlers-plugin.ts';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  plugins: [wrapHandlers],
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/policies/global-setup.ts'],
    setupFiles: ['test/support/logs/capture-logs.ts', 'test/support/policies/enforce-in-tests.ts'],
    env: { VALIDATE_RESPONSES: 'on', TZ: 'UTC' },
    // Many times what the slowest test takes on an idle machine: a time-out tells of something that hangs, not of load.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
