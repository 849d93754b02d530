import { connect } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import * as z from 'zod/mini';
import {
  declareOperation,
  type ServiceOperation,
  type ServiceOperationDeclaration,
} from '../../../functions/declare-operation.ts';
import { createGateway } from '../../../infra/local/gateway/gateway.ts';
import type { GatewayConfig, ProxyHandler } from '../../../infra/local/gateway/request-listener.ts';

/** An operation for tests of the gateway. By default, it is public and has a JSON body. */
export function anOperation(
  id: string,
  route: ServiceOperationDeclaration['route'],
  given: Partial<ServiceOperationDeclaration> = {},
): ServiceOperation {
  return declareOperation(id, {
    route,
    tag: 'Funnel',
    summary: id,
    auth: 'public',
    body: 'json',
    request: { path: z.object({}) },
    responses: { 200: z.unknown() },
    errors: [400],
    grants: [],
    limits: { timeoutSeconds: 10, memoryMb: 512 },
    ...given,
  });
}

/** Ignores errors of functions, because tests make functions fail deliberately. */
const quiet = () => undefined;

type Served = { declared: ServiceOperation; handler: ProxyHandler };

/** Starts a gateway for the tests of a file. @returns a function that returns the origin of the gateway */
export function useGateway(
  served: readonly Served[],
  given: Partial<GatewayConfig> = {},
  logged?: string[],
): () => string {
  const gateway = createGateway(given.reportError ?? quiet, (line) => void logged?.push(line));
  const handlers = new Map(served.map(({ declared, handler }) => [declared.id, handler]));
  let port = 0;
  beforeAll(async () => {
    port = await gateway.listen(0);
    gateway.open({
      operations: served.map(({ declared }) => declared),
      getFunction: (id) => handlers.get(id) ?? fail(id),
      timeouts: true,
      openapi: '{"openapi":"3.1.0"}',
      origins: { configured: ['https://app.example'], anyLoopback: false },
      rateLimits: true,
      reportError: quiet,
      ...given,
    });
  });
  afterAll(() => gateway.close(0));
  return () => `http://127.0.0.1:${port}`;
}

const fail = (id: string): never => {
  throw new Error(`useGateway got no handler for the operation ${id}.`);
};

/**
 * Sends raw bytes, with `Host: x` replaced by the gateway's host.
 *
 * @returns everything that is received until the connection closes or is idle for `silentMs`
 */
export function sendRaw(origin: string, bytes: string | Buffer, silentMs = 150): Promise<string> {
  const { host, port } = new URL(origin);
  const sent = typeof bytes === 'string' ? bytes.replace('Host: x\r\n', `Host: ${host}\r\n`) : bytes;
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(sent));
    let answer = '';
    socket.setTimeout(silentMs, () => socket.destroy());
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' ? resolve(answer) : reject(error),
    );
    socket.on('close', () => resolve(answer));
  });
}
