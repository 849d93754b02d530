import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { afterAll, beforeAll } from 'vitest';
import { TABLES } from '../../infra/data/tables.ts';
import { createTableCommand } from '../../infra/local/runtime/table-creation.ts';
import { dynamoClient } from '../../shared/platform/aws/dynamo-client.ts';

/** Of one call: this DynamoDB shares its processor with the test, and what a slow one does is a test of its own. */
const PATIENCE_MS = 15_000;

type Adjustable = { handle: unknown; updateHttpClientConfig?(key: string, value: number): void };

function bePatient(): void {
  const handler: Adjustable = dynamoClient().config.requestHandler;
  if (handler.updateHttpClientConfig === undefined) throw new Error('The timeouts of the client can not be set.');
  handler.updateHttpClientConfig('connectionTimeout', PATIENCE_MS);
  handler.updateHttpClientConfig('requestTimeout', PATIENCE_MS);
}

/**
 * Gives the file's tests a DynamoDB of their own, in memory, with all tables; the adapters find it by the environment.
 *
 * @returns `callsOf`: the calls that arrive while some work is done, for example `UpdateItem`
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
    for (const table of TABLES) {
      process.env[`${table.name.toUpperCase()}_TABLE`] = table.name;
      await client.send(createTableCommand(table, table.name));
    }
    client.destroy();
  });
  afterAll(() => void server.close());
  const callsOf = async (work: () => Promise<unknown>): Promise<string[]> => {
    calls = [];
    await work();
    return calls;
  };
  return { callsOf };
}
