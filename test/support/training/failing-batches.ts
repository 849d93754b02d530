import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { dynamoClient, dynamoDocumentClient } from '../../../shared/platform/aws/dynamo-client.ts';

type Batch = { RequestItems?: Record<string, { PutRequest: { Item: { sk: string } } }[] & { Keys?: unknown[] }> };

/**
 * Throttles the next batch requests to the table `training`, one for each entry of `batches`. With `nothing`, DynamoDB
 * processes no item. With `all-but-one`, it leaves out the first item. The response lists the unprocessed items.
 *
 * @returns the inputs of the batches that are sent
 */
export function throttleBatches(batches: readonly ('nothing' | 'all-but-one')[]) {
  const remaining = [...batches];
  const inputs: unknown[] = [];
  const name = `throttled-${randomUUID()}`;
  dynamoDocumentClient().middlewareStack.add(
    (next) => async (args) => {
      const input = args.input as Batch;
      const requests = input.RequestItems?.training;
      if (requests === undefined) return next(args);
      inputs.push(input);
      const processed = remaining.shift();
      if (processed === undefined) return next(args);
      const items = (requests.Keys ?? requests) as unknown[];
      const [accepted, unprocessed] = processed === 'nothing' ? [[], items] : [items.slice(1), items.slice(0, 1)];
      const toRequest = (some: unknown[]) => ({ training: requests.Keys ? { ...requests, Keys: some } : some });
      const result =
        accepted.length === 0
          ? { output: { $metadata: {} }, response: undefined }
          : await next({ ...args, input: { RequestItems: toRequest(accepted) } });
      const attribute = requests.Keys ? 'UnprocessedKeys' : 'UnprocessedItems';
      return { ...result, output: { ...result.output, [attribute]: toRequest(unprocessed) } };
    },
    { step: 'initialize', name },
  );
  onTestFinished(() => void dynamoDocumentClient().middlewareStack.remove(name));
  return inputs;
}

/** Makes DynamoDB refuse connections until the end of the test. */
export function failConnections(): void {
  const { requestHandler } = dynamoClient().config;
  const { handle } = requestHandler;
  requestHandler.handle = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
  onTestFinished(() => {
    requestHandler.handle = handle;
  });
}
