import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { listenLocally } from '../../../infra/local/common/listen.ts';
import { deployedCallers, startDeployedEnvironment } from './environment.ts';

type World = Awaited<ReturnType<typeof startDeployedEnvironment>>;
type Callers = Awaited<ReturnType<typeof deployedCallers>>;

/**
 * Starts the stand-ins with the demo for the tests of a file. Loads functions as deployed, each with the policy of its
 * role. A denied request to AWS fails the test.
 */
export function useDeployedFunctions(...ids: readonly string[]) {
  let world: World;
  let callers: Callers;
  const invoked: string[] = [];
  const lambda = createServer((request, response) => {
    invoked.push(request.url ?? '');
    const status = request.headers['x-amz-invocation-type'] === 'Event' ? 202 : 200;
    request.resume().once('end', () => response.writeHead(status).end());
  });
  beforeAll(async () => {
    world = await startDeployedEnvironment();
    process.env.AWS_ENDPOINT_URL_LAMBDA = `http://127.0.0.1:${await listenLocally(lambda)}`;
    callers = await deployedCallers(ids);
  }, 120_000);
  afterEach(() => void vi.useRealTimers());
  afterAll(async () => {
    lambda.close();
    await world?.end();
  }, 30_000);
  return {
    demo: () => world.demo,
    world: () => world,
    /** URLs of the requests with which functions invoked other functions. */
    invoked,
    run: (id: string, event: unknown = {}) => callers.run(id, event),
    call: (...given: Parameters<Callers['call']>) => callers.call(...given),
    bearer: (token: string) => ({ authorization: `Bearer ${token}` }),
    /** Sets the clock of the functions ahead and stops it, until the end of the test. */
    later: (milliseconds: number) => {
      const now = Date.now() + milliseconds;
      vi.useFakeTimers({ toFake: ['Date'], now });
    },
  };
}
