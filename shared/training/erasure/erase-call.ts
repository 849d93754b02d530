import type { Clock } from '../../platform/clock.ts';
import type { CallIds } from '../call.ts';
import { callPrefixes } from '../lifecycle/training-objects.ts';
import type { VoiceProvider } from '../voice/voice-provider.ts';

/** That a call is being erased. It holds ids alone, and stays until nobody can have added anything any more. */
export type Erasure = CallIds & {
  conversationId: string | undefined;
  /** Nothing is left but what somebody was just writing. */
  cleared: boolean;
  /** When to look again. */
  dueAtMs: number;
};

/** What must be known of a call to erase it, whatever else its record holds. */
type ErasableCall = { isUnderWay: boolean; conversationId: string | undefined };

export type CallErasures = {
  /** Strongly consistent. */
  find(ids: CallIds): Promise<ErasableCall | undefined>;
  erasure(ids: CallIds): Promise<Erasure | undefined>;
  /** In place of an earlier one. */
  keep(erasure: Erasure): Promise<void>;
  end(ids: CallIds): Promise<void>;
  /** Removes the call's item; false when the call is under way, and nothing was removed. One that is gone is removed. */
  removeCall(ids: CallIds): Promise<boolean>;
  /** Removes the look-up by a conversation, if it is this call's. */
  removeLookUp(conversationId: string, ids: CallIds): Promise<void>;
  /** At most so many that are due, the longest first; eventually consistent. */
  due(nowMs: number, most: number): Promise<CallIds[]>;
};

export type CallObjects = {
  count(prefix: string): Promise<number>;
  /** @returns how many there were */
  removeAll(prefix: string): Promise<number>;
};

export type ErasePorts = {
  erasures: CallErasures;
  objects: CallObjects;
  voice: Pick<VoiceProvider, 'forget'>;
  clock: Clock;
};

/** How many of each kind. Transcripts and recordings are objects; most transcripts stand in their call. */
export type ErasedParts = { transcripts: number; recordings: number; conversations: number };

export type ErasedCall = ErasedParts & {
  /** `unknown`: there is no such call, or none any more. `under_way`: it has not ended, and nothing was erased. */
  outcome: 'erased' | 'unknown' | 'under_way';
};

export const NOTHING: ErasedParts = { transcripts: 0, recordings: 0, conversations: 0 };

/** Longer than the functions run that may still write for a call: its webhook, its analysis and the sweeper. */
export const SETTLED_AFTER_MS = 15 * 60_000;

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
  { erasures, objects, voice, clock }: ErasePorts,
  ids: CallIds,
  { later = false }: { later?: boolean } = {},
): Promise<ErasedCall> {
  const [call, begun] = await Promise.all([erasures.find(ids), erasures.erasure(ids)]);
  if (call === undefined && (begun === undefined || begun.cleared)) return { ...NOTHING, outcome: 'unknown' };
  const conversationId = call === undefined ? begun?.conversationId : call.conversationId;
  const { orgId, callId } = ids;
  const erasure = () => ({ orgId, callId, conversationId, dueAtMs: clock.now() + SETTLED_AFTER_MS });
  if (call?.isUnderWay) {
    if (later) await erasures.keep({ ...erasure(), cleared: false });
    return { ...NOTHING, outcome: 'under_way' };
  }
  const forgotten = conversationId === undefined ? 'unknown' : await voice.forget(conversationId);
  await erasures.keep({ ...erasure(), cleared: false });
  // What has begun anew meanwhile is erased when it has ended: the record stays.
  if (!(await erasures.removeCall(ids))) return { ...NOTHING, outcome: 'under_way' };
  if (conversationId !== undefined) await erasures.removeLookUp(conversationId, ids);
  const removed = await removeObjects(objects, ids);
  await erasures.keep({ ...erasure(), cleared: true });
  return { ...removed, conversations: forgotten === 'forgotten' ? 1 : 0, outcome: 'erased' };
}

/** What `eraseCall` would erase, as far as it can be told without the provider. */
export async function erasableParts(
  { erasures, objects }: Pick<ErasePorts, 'erasures' | 'objects'>,
  ids: CallIds,
): Promise<ErasedCall> {
  const call = await erasures.find(ids);
  if (call === undefined) return { ...NOTHING, outcome: 'unknown' };
  if (call.isUnderWay) return { ...NOTHING, outcome: 'under_way' };
  const prefixes = callPrefixes(ids);
  return {
    transcripts: await objects.count(prefixes.transcripts),
    recordings: await objects.count(prefixes.recordings),
    conversations: call.conversationId === undefined ? 0 : 1,
    outcome: 'erased',
  };
}

/** All objects of a call. */
export async function removeObjects(objects: CallObjects, ids: CallIds): Promise<Omit<ErasedParts, 'conversations'>> {
  const prefixes = callPrefixes(ids);
  return {
    transcripts: await objects.removeAll(prefixes.transcripts),
    recordings: await objects.removeAll(prefixes.recordings),
  };
}
