import type { CallCreator } from '../ports.ts';
import { toNewCallItem } from './call-item.ts';
import { writeItems } from './open-session-batches.ts';
import { trainingKey } from './training-table.ts';

const KNOWN_CONVERSATIONS_MAX = 1_000;

/**
 * Writes a call and the look-up item of its conversation in one batch. If the provider or a proxy repeats a response,
 * two sessions get the same conversation id. A batch cannot have conditions. Instead, each process keeps its recent
 * conversation ids in memory, and rejects a second call with one of them.
 */
export function createDynamoCallCreator(): CallCreator {
  const known = new Set<string>();
  return {
    add: async (call) => {
      const { orgId, callId, conversationId, persona } = call;
      if (known.has(conversationId)) return 'conversation_taken';
      if (known.size === KNOWN_CONVERSATIONS_MAX) known.clear();
      // Added before the write, so that a concurrent request with the same conversation id is rejected.
      known.add(conversationId);
      const lookup = { ...trainingKey.conversation(conversationId), orgId, callId, agentId: persona.agentId };
      await writeItems([toNewCallItem(call), lookup]);
      return 'added';
    },
  };
}
