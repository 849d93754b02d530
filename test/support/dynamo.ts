import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { afterAll, beforeAll } from 'vitest';
import { ensureTable, tableDefinition } from '../../infra/local/runtime/resource-creation.ts';
import { TABLES } from '../../infra/stacks/data/tables.ts';
import { dynamoClient } from '../../shared/platform/aws/dynamo-client.ts';

/** Timeout of a request. It is long, because this DynamoDB shares the processor with the test. */
const PATIENCE_MS = 15_000;

type Adjustable = { handle: unknown; updateHttpClientConfig?(key: string, value: number): void };

function bePatient(): void {
  const handler: Adjustable = dynamoClient().config.requestHandler;
  if (handler.updateHttpClientConfig === undefined)
    throw new Error('The request handler of the DynamoDB client has no updateHttpClientConfig. Change bePatient.');
  handler.updateHttpClientConfig('connectionTimeout', PATIENCE_MS);
  handler.updateHttpClientConfig('requestTimeout', PATIENCE_MS);
}

/**
 * Starts an in-memory DynamoDB with all tables for the tests of a file, and configures the adapters.
 *
 * @returns `callsOf`: the operations that arrive while some work runs, for example `UpdateItem`
 */
export function useDynamo() {
  const server = dynalite({ createTableMs: 0 });
  let calls: string[] = [];
  server.on('request', ({ headers }) => calls.push(String(headers['x-amz-target']).replace(/^.*\./, '')));
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    });
    bePatient();
    const client = new DynamoDBClient({});
    for (const { name } of TABLES) process.env[`${name.toUpperCase()}_TABLE`] = name;
    await Promise.all(TABLES.map((table) => ensureTable(client, tableDefinition(table, table.name))));
    client.destroy();
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  const callsOf = async (work: () => Promise<unknown>): Promise<string[]> => {
    calls = [];
    await work();
    return calls;
  };
  return { callsOf };
}
