import { BatchGetCommand, BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { HttpError } from '../../http/errors.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { retryUnprocessed } from '../../platform/aws/retry-unprocessed.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import { StoredPersona } from '../persona.ts';
import type { CallCreator, CaseAndPersonaReader } from '../ports.ts';
import { TrainingCase } from '../training-case.ts';
import { toNewCallItem } from './call-item.ts';
import { trainingKey } from './training-table.ts';

/** Short, because a trainee waits. */
const RETRY_DELAYS_MS = [50, 100, 200];
const KNOWN_CONVERSATIONS_MAX = 1_000;
const UNAVAILABLE = 'Training sessions cannot be opened. Try again shortly.';

export function createDynamoCaseAndPersonaReader(): CaseAndPersonaReader {
  return {
    find: async (orgId, { caseId, personaId }) => {
      const keys = {
        trainingCase: trainingKey.trainingCase(orgId, caseId),
        persona: trainingKey.persona(orgId, personaId),
      };
      const items = await readAll(Object.values(keys));
      const itemOf = ({ sk }: { sk: string }) => items.find((item) => item.sk === sk);
      return {
        trainingCase: z.optional(TrainingCase).parse(itemOf(keys.trainingCase)),
        persona: z.optional(StoredPersona).parse(itemOf(keys.persona)),
      };
    },
  };
}

/**
 * Writes a call and the look-up by its conversation in one batch. A batch has no conditions: a conversation is only known
 * to be taken if this process has written it, which detects a provider or proxy that repeats a response.
 */
export function createDynamoCallCreator(): CallCreator {
  const known = new Set<string>();
  return {
    add: async (call) => {
      const { orgId, callId, conversationId, persona } = call;
      if (known.has(conversationId)) return 'conversation_taken';
      if (known.size === KNOWN_CONVERSATIONS_MAX) known.clear();
      // Before the write, so that a concurrent request with the same id is rejected.
      known.add(conversationId);
      const lookup = { ...trainingKey.conversation(conversationId), orgId, callId, agentId: persona.agentId };
      await writeAll([toNewCallItem(call), lookup]);
      return 'added';
    },
  };
}

type Item = Record<string, unknown>;

async function readAll(keys: Item[]): Promise<Item[]> {
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

async function writeAll(items: Item[]): Promise<void> {
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
    cause: new Error('DynamoDB did not process all items of a batch.'),
  });
}
