import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoDocumentClient } from '../../../shared/platform/aws/dynamo-client.ts';
import { toNewCallItem } from '../../../shared/training/aws/call-item.ts';
import { trainingKey } from '../../../shared/training/aws/training-table.ts';
import type { CallIds } from '../../../shared/training/call.ts';
import { aCall, type MemoryCall } from './calls.ts';

const TableName = 'training';
export const USER = '4f1d9a52-7c1e-5b0a-9a3e-2d5b8c6f7e10';

const put = async (Item: Record<string, unknown>) =>
  void (await dynamoDocumentClient().send(new PutCommand({ TableName, Item })));

/** Stores a pending call as opening a session does. Its look-up item has no agent's id. */
export async function storedCall(overrides: Partial<MemoryCall> = {}): Promise<MemoryCall> {
  const call = aCall(overrides);
  const { orgId, callId, conversationId, caseSnapshot, createdAtMs, dueAtMs = createdAtMs } = call;
  const persona = { id: 'persona', agentId: 'agent', name: 'Erika', language: 'en' as const, character: 'calm' };
  const session = {
    orgId,
    callId,
    conversationId,
    createdAtMs,
    dueAtMs,
    userId: USER,
    trainingCase: caseSnapshot,
    persona: { ...persona, mood: 'busy', objections: [], createdAt: new Date(createdAtMs).toISOString() },
  };
  await put(toNewCallItem(session));
  await put({ ...trainingKey.conversation(conversationId), orgId, callId });
  return call;
}

export async function callItem(ids: CallIds): Promise<Record<string, unknown>> {
  const { Item } = await dynamoDocumentClient().send(
    new GetCommand({ TableName, Key: trainingKey.call(ids), ConsistentRead: true }),
  );
  if (Item === undefined) throw new Error('The call has no item.');
  return Item;
}
