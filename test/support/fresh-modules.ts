import { afterAll, vi } from 'vitest';

// Files that share a process share no state: each loads the modules of the repository again, and gets the environment,
// the clock and the globals of the process as they were. Only installed packages stay loaded.

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
