import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { HttpError } from '../../http/errors.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { retryUnprocessed } from '../../platform/aws/retry-unprocessed.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';

type Write = Record<string, unknown>;

/** What DynamoDB takes in one batch. */
const ITEMS_MAX = 25;
/** A batch of megabytes would not be answered within the time that a call has. */
const BYTES_MAX = 400_000;
const AT_ONCE = 4;
const NOT_NOW = 'Landing pages cannot be written. Try again shortly.';

/** Puts items into the directory table, many at once. @throws Problem 503 when some could not be written */
export const batchPut = (items: readonly Write[]): Promise<void> =>
  writeAll(items.map((Item) => ({ PutRequest: { Item } })));

/** Removes items by their keys; one that is not there is no fault. @throws Problem 503 when some are left */
export const batchDelete = (keys: readonly { pk: string; sk: string }[]): Promise<void> =>
  writeAll(keys.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })));

async function writeAll(writes: readonly Write[]): Promise<void> {
  const batches = batchesOf(writes);
  const work = async () => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) await untilDone(batch);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function batchesOf(writes: readonly Write[]): Write[][] {
  const batches: Write[][] = [];
  let bytes = BYTES_MAX;
  for (const write of writes) {
    const size = JSON.stringify(write).length;
    const last = batches.at(-1);
    if (last === undefined || last.length === ITEMS_MAX || bytes + size > BYTES_MAX) {
      batches.push([write]);
      bytes = size;
    } else {
      last.push(write);
      bytes += size;
    }
  }
  return batches;
}

async function untilDone(batch: Write[]): Promise<void> {
  const table = requireSetting('directoryTable');
  const isDone = await retryUnprocessed(batch, async (left) => {
    const write = new BatchWriteCommand({ RequestItems: { [table]: left } });
    return (await rethrowAsUnavailable(NOT_NOW, () => dynamoDocumentClient().send(write))).UnprocessedItems?.[table];
  });
  if (isDone) return;
  throw new HttpError(503, NOT_NOW, {
    headers: { 'Retry-After': '5' },
    cause: new Error('DynamoDB left a batch undone.'),
  });
}
