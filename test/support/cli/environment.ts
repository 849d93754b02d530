/**
 * Runs a command that connects this process to an environment, and then restores the environment variables. Otherwise,
 * child processes of the test would inherit the addresses of the environment.
 */
export async function withEnvironmentRestored<T>(command: () => Promise<T>): Promise<T> {
  const before = { ...process.env };
  try {
    return await command();
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
}
