import { BatchGetCommand, BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { HttpError } from '../../http/errors.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { retryUnprocessed } from '../../platform/aws/retry-unprocessed.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import type { CallCreator, CaseAndPersonaReader } from '../open-session.ts';
import { StoredPersona } from '../persona.ts';
import { TrainingCase } from '../training-case.ts';
import { toNewCallItem } from './new-call-item.ts';
import { trainingKey } from './training-table.ts';

/** Within what a call of somebody who waits has. */
const PAUSES_MS = [50, 100, 200];
const CONVERSATIONS_KNOWN_MAX = 1_000;
const NOT_NOW = 'Training sessions cannot be opened. Try again shortly.';

export function createDynamoCaseAndPersonaReader(): CaseAndPersonaReader {
  return {
    find: async (orgId, { caseId, personaId }) => {
      const keys = {
        trainingCase: trainingKey.trainingCase(orgId, caseId),
        persona: trainingKey.persona(orgId, personaId),
      };
      const items = await readAll(Object.values(keys));
      const stored = ({ sk }: { sk: string }) => items.find((item) => item.sk === sk);
      return {
        trainingCase: z.optional(TrainingCase).parse(stored(keys.trainingCase)),
        persona: z.optional(StoredPersona).parse(stored(keys.persona)),
      };
    },
  };
}

/**
 * A call and the look-up by its conversation, in one batch. A batch has no condition: that a conversation is taken is
 * known only where this function has lately written it itself, which tells of a provider, or something before it, that
 * repeats an answer.
 */
export function createDynamoCallCreator(): CallCreator {
  const known = new Set<string>();
  return {
    add: async (call) => {
      const { orgId, callId, conversationId, persona } = call;
      if (known.has(conversationId)) return 'conversation_taken';
      if (known.size === CONVERSATIONS_KNOWN_MAX) known.clear();
      // Before the write: whoever comes meanwhile is refused, and an id whose write failed is not given again.
      known.add(conversationId);
      const lookUp = { ...trainingKey.conversation(conversationId), orgId, callId, agentId: persona.agentId };
      await writeAll([toNewCallItem(call), lookUp]);
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
  await sendBatch(puts, async (left) => {
    const { UnprocessedItems } = await dynamoDocumentClient().send(
      new BatchWriteCommand({ RequestItems: { [table]: left } }),
    );
    return UnprocessedItems?.[table];
  });
}

async function sendBatch(all: Item[], send: (left: Item[]) => Promise<Item[] | undefined>): Promise<void> {
  if (await retryUnprocessed(all, (left) => rethrowAsUnavailable(NOT_NOW, () => send(left)), PAUSES_MS)) return;
  throw new HttpError(503, NOT_NOW, {
    headers: { 'Retry-After': '1' },
    cause: new Error('DynamoDB left a batch undone.'),
  });
}
