import { BatchGetCommand, BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { HttpError } from '../../http/errors.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { retryUnprocessed } from '../../platform/aws/retry-unprocessed.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';

/*
 * Batch requests to the training table that open a session. Their retry delays and error text are meant for a trainee
 * who waits for the session.
 */

/** Short, because a trainee waits. */
const RETRY_DELAYS_MS = [50, 100, 200];
const UNAVAILABLE = 'Training sessions cannot be opened. Try again shortly.';

type Item = Record<string, unknown>;

/** Strongly consistent. @throws UnavailableError, or HttpError 503 if DynamoDB does not process all keys */
export async function readItems(keys: Item[]): Promise<Item[]> {
  const table = requireSetting('trainingTable');
  const items: Item[] = [];
  await sendBatch(keys, async (Keys) => {
    const get = new BatchGetCommand({ RequestItems: { [table]: { Keys, ConsistentRead: true } } });
    const { Responses, UnprocessedKeys } = await dynamoDocumentClient().send(get);
    items.push(...(Responses?.[table] ?? []));
    return UnprocessedKeys?.[table]?.Keys;
  });
  return items;
}

/**
 * Puts the items without conditions. @throws UnavailableError, or HttpError 503 if DynamoDB does not process all items
 */
export async function writeItems(items: Item[]): Promise<void> {
  const table = requireSetting('trainingTable');
  const puts: Item[] = items.map((Item) => ({ PutRequest: { Item } }));
  await sendBatch(puts, async (unprocessed) => {
    const { UnprocessedItems } = await dynamoDocumentClient().send(
      new BatchWriteCommand({ RequestItems: { [table]: unprocessed } }),
    );
    return UnprocessedItems?.[table];
  });
}

async function sendBatch(items: Item[], send: (unprocessed: Item[]) => Promise<Item[] | undefined>): Promise<void> {
  const sendOrUnavailable = (unprocessed: Item[]) => rethrowAsUnavailable(UNAVAILABLE, () => send(unprocessed));
  if (await retryUnprocessed(items, sendOrUnavailable, RETRY_DELAYS_MS)) return;
  throw new HttpError(503, UNAVAILABLE, {
    headers: { 'Retry-After': '1' },
    cause: new Error('DynamoDB did not process all items of a batch of the training table.'),
  });
}
