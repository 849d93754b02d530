import type { Clock } from '../platform/clock.ts';
import type { CallIds } from './call.ts';
import { callPrefixes } from './object-keys.ts';
import type { VoiceProvider } from './voice-provider.ts';

/** That a call is being erased. It holds ids alone, and stays until nobody can have added anything any more. */
export type CallErasureRecord = CallIds & {
  conversationId: string | undefined;
  /** Nothing is left but what somebody was just writing. */
  cleared: boolean;
  /** When to look again. */
  dueAtMs: number;
};

/** What must be known of a call to erase it, whatever else its record holds. */
type ErasableCall = { isUnderWay: boolean; conversationId: string | undefined };

export type CallErasureRepository = {
  /** Strongly consistent. */
  findCall(ids: CallIds): Promise<ErasableCall | undefined>;
  find(ids: CallIds): Promise<CallErasureRecord | undefined>;
  /** In place of an earlier one. */
  put(erasure: CallErasureRecord): Promise<void>;
  delete(ids: CallIds): Promise<void>;
  /** Removes the call's item; false when the call is under way, and nothing was removed. One that is gone is removed. */
  deleteCall(ids: CallIds): Promise<boolean>;
  /** Removes the look-up by a conversation, if it is this call's. */
  deleteConversationLookup(conversationId: string, ids: CallIds): Promise<void>;
  /** At most so many that are due, the longest first; eventually consistent. */
  findDue(nowMs: number, most: number): Promise<CallIds[]>;
};

export type CallObjectStore = {
  count(prefix: string): Promise<number>;
  /** @returns how many there were */
  deleteAll(prefix: string): Promise<number>;
};

export type EraseCallPorts = {
  erasures: CallErasureRepository;
  objects: CallObjectStore;
  voice: Pick<VoiceProvider, 'deleteConversation'>;
  clock: Clock;
};

/** How many of each kind. Transcripts and recordings are objects; most transcripts stand in their call. */
export type ErasedParts = { transcripts: number; recordings: number; conversations: number };

export type EraseCallResult = ErasedParts & {
  /** `unknown`: there is no such call, or none any more. `under_way`: it has not ended, and nothing was erased. */
  outcome: 'erased' | 'unknown' | 'under_way';
};

export const NO_PARTS: ErasedParts = { transcripts: 0, recordings: 0, conversations: 0 };

/** Longer than the functions run that may still write for a call: its webhook, its analysis and the sweeper. */
export const LATE_WRITES_MS = 15 * 60_000;

/**
 * Erases a training call: what the voice provider keeps of it, its item, the look-up by its conversation, and every
 * object of it. Each step can be repeated, also by two at a time, and an erasure that was begun is ended by
 * `settleErasures`, which also takes what a webhook or an analysis was writing meanwhile: they change calls by their
 * status, so that none comes back, but may store an object just before they learn that it is gone.
 *
 * @param option.later whether a call that is under way is erased once it has ended
 * @throws VoiceFailure when the provider can't be asked; nothing was erased then
 */
export async function eraseCall(
  { erasures, objects, voice, clock }: EraseCallPorts,
  ids: CallIds,
  { later = false }: { later?: boolean } = {},
): Promise<EraseCallResult> {
  const [call, begun] = await Promise.all([erasures.findCall(ids), erasures.find(ids)]);
  if (call === undefined && (begun === undefined || begun.cleared)) return { ...NO_PARTS, outcome: 'unknown' };
  const conversationId = call === undefined ? begun?.conversationId : call.conversationId;
  const { orgId, callId } = ids;
  const erasure = () => ({ orgId, callId, conversationId, dueAtMs: clock.now() + LATE_WRITES_MS });
  if (call?.isUnderWay) {
    if (later) await erasures.put({ ...erasure(), cleared: false });
    return { ...NO_PARTS, outcome: 'under_way' };
  }
  const forgotten = conversationId === undefined ? 'unknown' : await voice.deleteConversation(conversationId);
  await erasures.put({ ...erasure(), cleared: false });
  // What has begun anew meanwhile is erased when it has ended: the record stays.
  if (!(await erasures.deleteCall(ids))) return { ...NO_PARTS, outcome: 'under_way' };
  if (conversationId !== undefined) await erasures.deleteConversationLookup(conversationId, ids);
  const removed = await deleteCallObjects(objects, ids);
  await erasures.put({ ...erasure(), cleared: true });
  return { ...removed, conversations: forgotten === 'forgotten' ? 1 : 0, outcome: 'erased' };
}

/** What `eraseCall` would erase, as far as it can be told without the provider. */
export async function previewEraseCall(
  { erasures, objects }: Pick<EraseCallPorts, 'erasures' | 'objects'>,
  ids: CallIds,
): Promise<EraseCallResult> {
  const call = await erasures.findCall(ids);
  if (call === undefined) return { ...NO_PARTS, outcome: 'unknown' };
  if (call.isUnderWay) return { ...NO_PARTS, outcome: 'under_way' };
  const prefixes = callPrefixes(ids);
  return {
    transcripts: await objects.count(prefixes.transcripts),
    recordings: await objects.count(prefixes.recordings),
    conversations: call.conversationId === undefined ? 0 : 1,
    outcome: 'erased',
  };
}

/** All objects of a call. */
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
