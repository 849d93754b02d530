import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/quiet-logs.ts'],
    env: { VALIDATE_REPLIES: 'on', TZ: 'UTC' },
    testTimeout: 20_000,
    maxWorkers: 2,
  },
});
