import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import { DYNAMODB_LOCAL, DYNAMODB_LOCAL_LIBRARIES, spawnBound } from './tools.ts';

/**
 * Replaces dynalite with a server that starts DynamoDB Local, listens as soon as DynamoDB Local is ready, and forwards
 * requests to it.
 *
 * @param options.path the folder for the data. By default, the data is in memory.
 */
export default function dynamoDbLocal({ path: folder }: { path?: string } = {}): Server {
  let started: Promise<{ port: number; child: ChildProcess }> | undefined;
  const server = createServer(async (incoming, outgoing) => {
    const { port } = (await started) ?? { port: 0 };
    const { method, url: path, headers } = incoming;
    const forwarded = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', (error) => outgoing.destroy(error));
    incoming.pipe(forwarded);
  });
  const listen = server.listen.bind(server);
  server.listen = (...given: unknown[]) => {
    started ??= start(folder);
    started.then(
      () => Reflect.apply(listen, undefined, given),
      (error) => server.emit('error', error),
    );
    return server;
  };
  server.on('close', () => void started?.then(({ child }) => child.stdin?.end()));
  return server;
}

async function start(folder: string | undefined) {
  const port = await freePort();
  const java = [`-Djava.library.path=${DYNAMODB_LOCAL_LIBRARIES}`, '-cp', `${DYNAMODB_LOCAL_LIBRARIES}/*`];
  const store = folder === undefined ? ['-sharedDb', '-inMemory'] : ['-sharedDb', '-dbPath', folder];
  if (folder !== undefined) mkdirSync(folder, { recursive: true });
  const main = 'com.amazonaws.services.dynamodbv2.local.main.ServerRunner';
  const child = spawnBound('java', [...java, main, ...store, '-disableTelemetry', '-port', String(port)], {
    // Not the root of the repository, because DynamoDB Local writes a file to its working directory.
    cwd: DYNAMODB_LOCAL.folder,
  });
  await listens(port, 'DynamoDB Local');
  return { port, child };
}

/** Waits until a server program responds on the port. @throws Error if the program does not respond in time */
export async function listens(port: number, program: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const probe = request({ host: '127.0.0.1', port });
    probe.end();
    const answer = await Promise.race([
      once(probe, 'response').then(
        () => true,
        () => false,
      ),
      sleep(1_000, false),
    ]);
    probe.destroy();
    if (answer) return;
    await sleep(100);
  }
  throw new Error(
    `${program} did not respond on port ${port}. Its output is not shown: run it by hand to see the error.`,
  );
}
