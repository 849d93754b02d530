import type { Clock } from '../platform/clock.ts';
import type { CallIds } from './call.ts';
import { callPrefixes } from './object-keys.ts';
import type { CallErasureRepository, CallObjectStore, VoiceProvider } from './ports.ts';

export type EraseCallPorts = {
  erasures: CallErasureRepository;
  objects: CallObjectStore;
  deliveries: {
    /** Removes the messages about a call whose item is deleted. Idempotent. */
    erase(call: CallIds): Promise<void>;
  };
  voice: Pick<VoiceProvider, 'deleteConversation'>;
  clock: Clock;
};

/**
 * Numbers of objects erased in the bucket and of conversations deleted at the provider. A small transcript is part of
 * the call's item and is not counted.
 */
export type ErasedParts = { transcripts: number; recordings: number; conversations: number };

export type EraseCallResult = ErasedParts & {
  /**
   * `unknown`: there is no such call, or it is already erased. `in_progress`: the call has not ended or is being
   * analysed. Its data was not erased, but its conversation at the provider may have been deleted.
   */
  outcome: 'erased' | 'unknown' | 'in_progress';
};

export const NOTHING_ERASED: ErasedParts = { transcripts: 0, recordings: 0, conversations: 0 };

/**
 * After an erasure, functions that were already running (a webhook, an analysis or the sweeper) can write for the
 * erased call for this time. It is longer than their timeouts.
 */
export const LATE_WRITES_MS = 15 * 60_000;

/**
 * Erases a call: its conversation at the provider, its item, its webhook messages, the look-up item of its
 * conversation, and its objects. Each step can be repeated, also concurrently. In the daily retention run,
 * `sweepErasures` completes interrupted erasures. It also erases objects that other functions stored during an erasure.
 *
 * @param option.later if the call is in progress, records it for an erasure after its end
 * @throws VoiceProviderError when the provider can't delete the conversation (in that case nothing was erased); errors
 *   of the table and the bucket
 */
export async function eraseCall(
  { erasures, objects, deliveries, voice, clock }: EraseCallPorts,
  ids: CallIds,
  { later = false }: { later?: boolean } = {},
): Promise<EraseCallResult> {
  const [call, begun] = await Promise.all([erasures.findCall(ids), erasures.find(ids)]);
  if (call === undefined && (begun === undefined || begun.cleared)) return { ...NOTHING_ERASED, outcome: 'unknown' };
  const conversationId = call === undefined ? begun?.conversationId : call.conversationId;
  const { orgId, callId } = ids;
  const toRecord = (cleared: boolean) => ({
    orgId,
    callId,
    conversationId,
    cleared,
    dueAtMs: clock.now() + LATE_WRITES_MS,
  });
  if (call?.isInProgress) {
    if (later) await erasures.put(toRecord(false));
    return { ...NOTHING_ERASED, outcome: 'in_progress' };
  }
  const deleted = conversationId === undefined ? 'unknown' : await voice.deleteConversation(conversationId);
  await erasures.put(toRecord(false));
  // False: the call was abandoned, but a late webhook has resumed it. The erasure record stays, so that the call is
  // erased later.
  if (!(await erasures.deleteCall(ids))) return { ...NOTHING_ERASED, outcome: 'in_progress' };
  // Erase the messages after the call's item. As long as the item exists, a process can store another message.
  await deliveries.erase(ids);
  if (conversationId !== undefined) await erasures.deleteConversationLookup(conversationId, ids);
  const erased = await deleteCallObjects(objects, ids);
  await erasures.put(toRecord(true));
  return { ...erased, conversations: deleted === 'deleted' ? 1 : 0, outcome: 'erased' };
}

/**
 * Counts what `eraseCall` would erase. Assumes that the provider still has the conversation. If an interrupted erasure
 * has deleted the call's item, returns `unknown`. Objects of the call may still exist.
 */
export async function previewEraseCall(
  { erasures, objects }: Pick<EraseCallPorts, 'erasures' | 'objects'>,
  ids: CallIds,
): Promise<EraseCallResult> {
  const call = await erasures.findCall(ids);
  if (call === undefined) return { ...NOTHING_ERASED, outcome: 'unknown' };
  if (call.isInProgress) return { ...NOTHING_ERASED, outcome: 'in_progress' };
  const prefixes = callPrefixes(ids);
  return {
    transcripts: await objects.count(prefixes.transcripts),
    recordings: await objects.count(prefixes.recordings),
    conversations: call.conversationId === undefined ? 0 : 1,
    outcome: 'erased',
  };
}

export async function deleteCallObjects(
  objects: CallObjectStore,
  ids: CallIds,
): Promise<Omit<ErasedParts, 'conversations'>> {
  const prefixes = callPrefixes(ids);
  return {
    transcripts: await objects.deleteAll(prefixes.transcripts),
    recordings: await objects.deleteAll(prefixes.recordings),
  };
}
