import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** The range is below the ephemeral ports, which the system gives to other programs. */
const LOWEST = 12_000;
const HIGHEST = 32_000;

/** Finds a free port. The next two ports are also free, because `npm start` uses them for the pages and webhooks. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    if ((await isFree(port)) && (await isFree(port + 1)) && (await isFree(port + 2))) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
