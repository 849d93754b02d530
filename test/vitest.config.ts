import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { underPolicy } from './support/under-policy-plugin.ts';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  plugins: [underPolicy],
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/policies-made.ts'],
    setupFiles: ['test/support/quiet-logs.ts', 'test/support/under-policy.ts'],
    env: { VALIDATE_REPLIES: 'on', TZ: 'UTC' },
    // Many times what the slowest test takes on an idle machine: a time-out tells of something that hangs, not of load.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
