import type { CallIds } from '../../../shared/training/call.ts';
import { eraseCall } from '../../../shared/training/erase-call.ts';
import type { CallErasureRecord, CallErasureRepository, CallObjectStore } from '../../../shared/training/ports.ts';
import { sweepErasures } from '../../../shared/training/sweep-erasures.ts';
import { VoiceProviderError } from '../../../shared/training/voice-provider-errors.ts';
import { aCall, aConversation, HOUR_MS, type MemoryCall, MINUTE_MS } from './calls.ts';
import { type Around, effects, type LifecycleWorld, lifecycleWorld } from './lifecycle.ts';

type Settings = Parameters<typeof lifecycleWorld>[0];

/**
 * Creates a `lifecycleWorld` whose calls can be erased. The look-up items of conversations are separate records, as in
 * the table.
 */
export function erasureWorld(settings?: Settings) {
  const world = lifecycleWorld(settings);
  const { calls, clock, objects, provider } = world;
  const lookups = new Map<string, CallIds>();
  const records = new Map<string, CallErasureRecord>();
  /** Ids of the calls that have webhook messages. */
  const messages = new Set<string>();
  const deliveries = { erase: async ({ callId }: CallIds) => void messages.delete(callId) };
  calls.findIdsByConversation = async (conversationId) => lookups.get(conversationId);
  const erasures: CallErasureRepository = {
    findCall: async (ids) => {
      const call = await calls.find(ids);
      return call && { isInProgress: isInProgress(call), conversationId: call.conversationId };
    },
    find: async ({ callId }) => records.get(callId),
    put: async (erasure) => void records.set(erasure.callId, erasure),
    delete: async ({ callId }) => void records.delete(callId),
    deleteCall: async ({ callId }) => {
      const call = calls.stored.get(callId);
      if (call && isInProgress(call)) return false;
      calls.stored.delete(callId);
      return true;
    },
    deleteConversationLookup: async (conversationId, { callId }) => {
      if (lookups.get(conversationId)?.callId === callId) lookups.delete(conversationId);
    },
    findDue: async (nowMs, limit) =>
      [...records.values()]
        .filter(({ dueAtMs }) => dueAtMs <= nowMs)
        .sort((one, other) => one.dueAtMs - other.dueAtMs)
        .slice(0, limit)
        .map(({ orgId, callId }) => ({ orgId, callId })),
  };
  const keysWith = (prefix: string) => [...objects.keys()].filter((key) => key.startsWith(prefix));
  const bucket: CallObjectStore = {
    count: async (prefix) => keysWith(prefix).length,
    deleteAll: async (prefix) => keysWith(prefix).filter((key) => objects.delete(key)).length,
  };
  const voice = {
    deleteConversation: async (id: string) => {
      if (!provider.reachable) throw new VoiceProviderError('The voice provider could not be reached.');
      return provider.conversations.delete(id) ? ('deleted' as const) : ('unknown' as const);
    },
  };
  const portsOf = (around: Around = (_effect, work) => work()) => ({
    erasures: effects('erasures', erasures, around),
    objects: effects('objects', bucket, around),
    deliveries: effects('deliveries', deliveries, around),
    voice: effects('voice', voice, around),
    clock,
    log: world.log,
  });
  const add = (overrides: Partial<MemoryCall> = {}): MemoryCall => {
    const call = calls.add(aCall({ createdAtMs: clock.ms - HOUR_MS, ...overrides }));
    lookups.set(call.conversationId, { orgId: call.orgId, callId: call.callId });
    provider.end(call.conversationId);
    return call;
  };
  return {
    ...world,
    lookups,
    records,
    messages,
    erasures,
    bucket,
    portsOf,
    add,
    /** Adds a ready call with two transcript objects, a recording and webhook messages. */
    addReady: (overrides: Partial<MemoryCall> = {}) => {
      const call = add({ status: 'ready', conversation: aConversation(), dueAtMs: undefined, ...overrides });
      for (const key of keysOf(call)) objects.set(key, Buffer.from('content'));
      messages.add(call.callId);
      return call;
    },
    erase: (ids: CallIds, around?: Around) => eraseCall(portsOf(around), ids),
    sweepErasures: (around?: Around) => sweepErasures(portsOf(around), Number.POSITIVE_INFINITY),
  };
}
export type ErasureWorld = ReturnType<typeof erasureWorld>;

const isInProgress = ({ status }: Pick<MemoryCall, 'status'>) => status === 'pending' || status === 'processing';

export const keysOf = ({ orgId, callId }: CallIds): string[] => [
  `transcripts/${orgId}/${callId}/first.json.gz`,
  `transcripts/${orgId}/${callId}/second.json.gz`,
  `recordings/${orgId}/${callId}.mp3`,
];

/** Runs `sweepErasures` once a day until no erasure is left. @throws Error if one is left after ten runs */
export async function completeErasures(world: ErasureWorld): Promise<void> {
  for (let round = 0; world.records.size > 0; round++) {
    if (round === 10) throw new Error('An erasure was not completed in ten runs.');
    world.clock.ms += 24 * HOUR_MS + 15 * MINUTE_MS;
    await world.sweepErasures();
  }
}

/** Everything that is still stored of a call. */
export const remainsOf = (
  {
    calls,
    objects,
    lookups,
    records,
    messages,
    provider,
  }: Pick<ErasureWorld, 'lookups' | 'records' | 'messages'> & Pick<LifecycleWorld, 'calls' | 'objects' | 'provider'>,
  { callId, conversationId }: MemoryCall,
): string[] => [
  ...(calls.stored.has(callId) ? ['item'] : []),
  ...[...objects.keys()].filter((key) => key.includes(callId)),
  ...(lookups.has(conversationId) ? ['look-up item'] : []),
  ...(records.has(callId) ? ['erasure record'] : []),
  ...(messages.has(callId) ? ['webhook messages'] : []),
  ...(provider.conversations.has(conversationId) ? ['conversation at the provider'] : []),
];
