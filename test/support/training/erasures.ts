import type { CallIds } from '../../../shared/training/call.ts';
import {
  type CallErasureRecord,
  type CallErasureRepository,
  type CallObjectStore,
  eraseCall,
} from '../../../shared/training/erase-call.ts';
import { sweepErasures } from '../../../shared/training/sweep-erasures.ts';
import { VoiceProviderError } from '../../../shared/training/voice-provider.ts';
import { aCall, aConversation, HOUR_MS, type MemoryCall, MINUTE_MS } from './calls.ts';
import { type Around, effects, type LifecycleWorld, lifecycleWorld } from './lifecycle.ts';

type Settings = Parameters<typeof lifecycleWorld>[0];

/** The world of calls with their erasure: look-ups are records of their own, which outlive a call for a moment. */
export function erasureWorld(settings?: Settings) {
  const world = lifecycleWorld(settings);
  const { calls, clock, objects, provider } = world;
  const lookUps = new Map<string, CallIds>();
  const kept = new Map<string, CallErasureRecord>();
  calls.findIdsByConversation = async (conversationId) => lookUps.get(conversationId);
  const erasures: CallErasureRepository = {
    findCall: async (ids) => {
      const call = await calls.find(ids);
      return call && { isUnderWay: isUnderWay(call), conversationId: call.conversationId };
    },
    find: async ({ callId }) => kept.get(callId),
    put: async (erasure) => void kept.set(erasure.callId, erasure),
    delete: async ({ callId }) => void kept.delete(callId),
    deleteCall: async ({ callId }) => {
      const call = calls.stored.get(callId);
      if (call && isUnderWay(call)) return false;
      calls.stored.delete(callId);
      return true;
    },
    deleteConversationLookup: async (conversationId, { callId }) => {
      if (lookUps.get(conversationId)?.callId === callId) lookUps.delete(conversationId);
    },
    findDue: async (nowMs, most) =>
      [...kept.values()]
        .filter(({ dueAtMs }) => dueAtMs <= nowMs)
        .sort((one, other) => one.dueAtMs - other.dueAtMs)
        .slice(0, most)
        .map(({ orgId, callId }) => ({ orgId, callId })),
  };
  const below = (prefix: string) => [...objects.keys()].filter((key) => key.startsWith(prefix));
  const bucket: CallObjectStore = {
    count: async (prefix) => below(prefix).length,
    deleteAll: async (prefix) => below(prefix).filter((key) => objects.delete(key)).length,
  };
  const voice = {
    deleteConversation: async (id: string) => {
      if (!provider.reachable) throw new VoiceProviderError('The voice provider could not be reached.');
      return provider.conversations.delete(id) ? ('forgotten' as const) : ('unknown' as const);
    },
  };
  const portsOf = (around: Around = (_effect, work) => work()) => ({
    erasures: effects('erasures', erasures, around),
    objects: effects('objects', bucket, around),
    voice: effects('voice', voice, around),
    ...{ clock, log: world.log },
  });
  const add = (said: Partial<MemoryCall> = {}): MemoryCall => {
    const call = calls.add(aCall({ createdAtMs: clock.ms - HOUR_MS, ...said }));
    lookUps.set(call.conversationId, { orgId: call.orgId, callId: call.callId });
    provider.end(call.conversationId);
    return call;
  };
  return {
    ...{ ...world, lookUps, kept, erasures, bucket, portsOf, add },
    /** A call that is ready, with two objects of transcripts and a recording. */
    ready: (said: Partial<MemoryCall> = {}) => {
      const call = add({ status: 'ready', conversation: aConversation(), dueAtMs: undefined, ...said });
      for (const key of keysOf(call)) objects.set(key, Buffer.from('said'));
      return call;
    },
    erase: (ids: CallIds, around?: Around) => eraseCall(portsOf(around), ids),
    settle: (around?: Around) => sweepErasures(portsOf(around), Number.POSITIVE_INFINITY),
  };
}
export type ErasureWorld = ReturnType<typeof erasureWorld>;

const isUnderWay = ({ status }: Pick<MemoryCall, 'status'>) => status === 'pending' || status === 'processing';

export const keysOf = ({ orgId, callId }: CallIds): string[] => [
  `transcripts/${orgId}/${callId}/first.json.gz`,
  `transcripts/${orgId}/${callId}/second.json.gz`,
  `recordings/${orgId}/${callId}.mp3`,
];

/** Lets the daily run come as often as it has something to do. */
export async function settleAll(world: ErasureWorld): Promise<void> {
  for (let round = 0; world.kept.size > 0; round++) {
    if (round === 10) throw new Error('An erasure does not end.');
    world.clock.ms += 24 * HOUR_MS + 15 * MINUTE_MS;
    await world.settle();
  }
}

/** What is left of a call, wherever it may be. */
export const leftOf = (
  {
    calls,
    objects,
    lookUps,
    kept,
    provider,
  }: Pick<ErasureWorld, 'lookUps' | 'kept'> & Pick<LifecycleWorld, 'calls' | 'objects' | 'provider'>,
  { callId, conversationId }: MemoryCall,
): string[] => [
  ...(calls.stored.has(callId) ? ['its item'] : []),
  ...[...objects.keys()].filter((key) => key.includes(callId)),
  ...(lookUps.has(conversationId) ? ['its look-up'] : []),
  ...(kept.has(callId) ? ['its erasure'] : []),
  ...(provider.conversations.has(conversationId) ? ['its conversation'] : []),
];
