import { afterAll, vi } from 'vitest';

// Files that share a process share no state: each loads the modules of the repository again, and gets the environment,
// the clock and the globals of the process as they were. Only installed packages stay loaded.

vi.resetModules();

const before = { ...process.env };
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});
