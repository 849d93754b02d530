import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { HttpError } from '../../http/errors.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { retryUnprocessed } from '../../platform/aws/retry-unprocessed.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';

type Write = Record<string, unknown>;

/** DynamoDB's maximum number of items in a batch. */
const ITEMS_MAX = 25;
/** Maximum length of a batch as JSON text. A batch of several megabytes would exceed the timeout of a request. */
const JSON_LENGTH_MAX = 400_000;
const CONCURRENCY = 4;
const UNAVAILABLE = 'Landing pages cannot be written. Try again shortly.';

/**
 * Puts items into the directory table, in batches.
 *
 * @throws UnavailableError, or HttpError 503 if items remain unwritten
 */
export const batchPut = (items: readonly Write[]): Promise<void> =>
  writeAll(items.map((Item) => ({ PutRequest: { Item } })));

/**
 * Deletes items by their keys, in batches. Ignores absent items.
 *
 * @throws UnavailableError, or HttpError 503 if items remain
 */
export const batchDelete = (keys: readonly { pk: string; sk: string }[]): Promise<void> =>
  writeAll(keys.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })));

async function writeAll(writes: readonly Write[]): Promise<void> {
  const batches = toBatches(writes);
  const work = async () => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) await writeBatch(batch);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

function toBatches(writes: readonly Write[]): Write[][] {
  const batches: Write[][] = [];
  let batchLength = 0;
  for (const write of writes) {
    const length = JSON.stringify(write).length;
    const last = batches.at(-1);
    if (last === undefined || last.length === ITEMS_MAX || batchLength + length > JSON_LENGTH_MAX) {
      batches.push([write]);
      batchLength = length;
    } else {
      last.push(write);
      batchLength += length;
    }
  }
  return batches;
}

async function writeBatch(batch: Write[]): Promise<void> {
  const table = requireSetting('directoryTable');
  const isComplete = await retryUnprocessed(batch, async (unprocessed) => {
    const write = new BatchWriteCommand({ RequestItems: { [table]: unprocessed } });
    return (await rethrowAsUnavailable(UNAVAILABLE, () => dynamoDocumentClient().send(write))).UnprocessedItems?.[
      table
    ];
  });
  if (isComplete) return;
  throw new HttpError(503, UNAVAILABLE, {
    headers: { 'Retry-After': '5' },
    cause: new Error(`DynamoDB left items of a batch of ${batch.length} unprocessed in every attempt.`),
  });
}
