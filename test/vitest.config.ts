import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/quiet-logs.ts'],
    env: { VALIDATE_REPLIES: 'on', TZ: 'UTC' },
    // Many times what the slowest test takes on an idle machine: a time-out tells of something that hangs, not of load.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
