import { afterAll, vi } from 'vitest';

// Test files that share a process must not share state. Each file loads the modules of the repository again. After each
// file, the environment, the clock and the globals of the process are restored. Installed packages stay loaded.

vi.resetModules();

const { env } = process;
const before = { ...env };
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  // A test can have replaced the whole object.
  process.env = env;
  for (const name of Object.keys(env)) if (!(name in before)) delete env[name];
  Object.assign(env, before);
});
