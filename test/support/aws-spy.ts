import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dynamo, plainDynamo } from '../../shared/platform/clients.ts';
import { kinesis } from '../../shared/platform/kinesis.ts';
import { s3 } from '../../shared/platform/s3.ts';

/** A call of the SDK, with what DynamoDB counts of the table itself: the stand-in counts no index. */
export type SeenCall = { call: string; units: number };

type Capacity = { CapacityUnits?: number };
type Middleware = (
  next: (args: { input: object }) => Promise<{ output: object }>,
  context: { commandName?: string },
) => (args: { input: object }) => Promise<{ output: object }>;
type Stack = { add(middleware: Middleware, options: { step: 'initialize'; name: string }): void };

/** Sees every call that the functions of this process make to DynamoDB, Kinesis and S3, and what those to Lambda ask for. */
export async function spyOnAws() {
  const seen: SeenCall[] = [];
  const spies = [
    ['dynamodb', dynamo()],
    ['dynamodb', plainDynamo()],
    ['kinesis', kinesis()],
    ['s3', s3()],
  ] as const;
  for (const [service, client] of spies)
    (client.middlewareStack as Stack).add(spy(service, seen), { step: 'initialize', name: 'spy' });
  const lambda = createServer((request, response) => {
    seen.push({ call: 'lambda:Invoke', units: 0 });
    request.resume().once('end', () => response.writeHead(202).end());
  });
  await new Promise<void>((resolve) => lambda.listen(0, '127.0.0.1', () => resolve()));
  process.env.AWS_ENDPOINT_URL_LAMBDA = `http://127.0.0.1:${(lambda.address() as AddressInfo).port}`;
  return {
    callsOf: async (work: () => Promise<unknown>): Promise<SeenCall[]> => {
      seen.length = 0;
      await work();
      return [...seen];
    },
    end: () => void lambda.close(),
  };
}

const spy =
  (service: string, seen: SeenCall[]): Middleware =>
  (next, { commandName = '' }) =>
  async (args) => {
    const counts = service === 'dynamodb';
    if (counts) Object.assign(args.input, { ReturnConsumedCapacity: 'TOTAL' });
    const name = `${service}:${commandName.replace(/Command$/, '')}`;
    const input = args.input as { TableName?: string; RequestItems?: object; IndexName?: string };
    const table = input.TableName ?? Object.keys(input.RequestItems ?? {})[0];
    const on =
      table === undefined ? '' : ` ${table.replace('tributary-', '')}${input.IndexName ? `/${input.IndexName}` : ''}`;
    const entry = { call: `${name}${on}`, units: 0 };
    seen.push(entry);
    const answer = await next(args);
    const { ConsumedCapacity } = answer.output as { ConsumedCapacity?: Capacity | Capacity[] };
    entry.units = [ConsumedCapacity ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
    return answer;
  };
