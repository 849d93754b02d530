import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { unlimitedRateLimiter } from '../../../shared/limits/rate-limits-disabled.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import type { CallIds, CallStatus } from '../../../shared/training/call.ts';
import { handleVoiceEvent, type VoiceEventPorts } from '../../../shared/training/handle-voice-event.ts';
import { type OpenSessionPorts, openSession } from '../../../shared/training/open-session.ts';
import { type ProcessCallPorts, processCall } from '../../../shared/training/process-call.ts';
import { type CallSweepPorts, sweepCalls } from '../../../shared/training/sweep-calls.ts';
import { type ConversationState, VoiceProviderError } from '../../../shared/training/voice-provider.ts';
import { aCall, aTrainingCase, type MemoryCall, memoryCalls, NOON } from './calls.ts';
import { aPersona } from './sessions.ts';
import { aTurn, transcription } from './voice-webhook.ts';

/** What stands around each read, write or request of a process: a fault may come before it, after it, or instead. */
export type Around = <T>(effect: string, work: () => Promise<T>) => Promise<T>;

/** Each function of these ports as an effect of a process. */
export function effects<P extends object>(name: string, ports: P, around: Around): P {
  const entries = Object.entries(ports).map(([key, value]) => [
    key,
    typeof value === 'function'
      ? (...given: unknown[]) => around(`${name}.${key}`, async () => value(...given))
      : value,
  ]);
  return Object.fromEntries(entries);
}

const ALLOWED: Record<CallStatus, CallStatus[]> = {
  pending: ['pending', 'processing', 'failed', 'abandoned'],
  processing: ['processing', 'ready', 'failed'],
  ready: ['ready'],
  failed: ['failed'],
  abandoned: ['abandoned', 'processing'],
};

/** The calls' table that tells of every change that the states do not allow. */
function watchedCalls(clock: { now(): number }) {
  const calls = memoryCalls(clock);
  const faults: string[] = [];
  const set = calls.stored.set.bind(calls.stored);
  calls.stored.set = (id: string, call: MemoryCall) => {
    const before = calls.stored.get(id)?.status ?? 'pending';
    if (!ALLOWED[before].includes(call.status)) faults.push(`${before} became ${call.status}`);
    return set(id, call);
  };
  return { calls, faults };
}

type Settings = { turns?: number; padding?: string; hasAudio?: boolean | null };

/** Everything that a call meets in its life, in memory: tables, bucket, queue and provider. */
export function lifecycleWorld({ turns = 2, padding = '', hasAudio = true }: Settings = {}) {
  const clock = { ms: NOON, now: () => clock.ms };
  const { calls, faults } = watchedCalls(clock);
  const objects = new Map<string, Uint8Array>();
  const queue: CallIds[] = [];
  const counts = new Map<string, number>();
  const log: Logger = {
    ...{ info: () => undefined, warn: () => undefined, error: () => undefined },
    recordMetric: (metric, value = 1) => void counts.set(metric, (counts.get(metric) ?? 0) + value),
  };
  const said = Array.from({ length: turns }, (_, at) =>
    aTurn({
      role: at % 2 ? 'user' : 'agent',
      message: `What do you need, ${at}? ${padding}`,
      time_in_call_secs: at * 3,
    }),
  );
  const provider = {
    conversations: new Map<string, ConversationState>(),
    recording: 'there' as 'there' | 'absent' | 'broken',
    reachable: true,
    /** What the webhook tells of a conversation. */
    eventOf: (conversationId: string) => transcription(conversationId, { transcript: said, has_audio: hasAudio }),
    end: (conversationId: string) => {
      const spoken = said.map(({ role, message, time_in_call_secs }) => ({
        ...{ role: role as 'user' | 'agent', message, timeInCallSecs: time_in_call_secs },
      }));
      const conversation = { conversationId, turns: spoken, durationSeconds: 60, interruptions: null, hasAudio };
      provider.conversations.set(conversationId, { state: 'ended', conversation });
    },
  };
  const asked = <T>(answer: () => T): T => {
    if (!provider.reachable) throw new VoiceProviderError('The voice provider could not be reached.');
    return answer();
  };
  const voice = {
    openSession: async () => asked(() => ({ token: 'token', conversationId: `conv_${randomUUID()}` })),
    conversation: async (id: string) =>
      asked(() => provider.conversations.get(id) ?? ({ state: 'unknown' } satisfies ConversationState)),
    recording: async () =>
      asked(() => {
        if (provider.recording === 'broken') throw new VoiceProviderError('The voice provider answered no sound.');
        if (provider.recording === 'absent') return undefined;
        return { content: Readable.from([Buffer.from('sound')]), contentType: 'audio/mpeg' };
      }),
  };
  const bucket = {
    put: async (key: string, packed: Uint8Array) => void objects.set(key, packed),
    get: async (key: string) => objects.get(key),
  };
  const recordings = {
    put: async (key: string, { content }: { content: Readable }) =>
      void objects.set(key, Buffer.concat(await content.toArray())),
  };
  const start = async ({ orgId, callId }: CallIds) => void queue.push({ orgId, callId });

  const newCalls: OpenSessionPorts['calls'] = {
    add: async ({ trainingCase, ...call }) => {
      calls.add(aCall({ ...call, caseSnapshot: trainingCase }));
      return 'added';
    },
  };
  const script = { trainingCase: aTrainingCase(), persona: aPersona() };

  /** The functions as one process runs them, with a fault or without. */
  const processOf = (around: Around = (_effect, work) => work()) => {
    const [table, s3] = [effects('calls', calls, around), effects('s3', bucket, around)];
    const provided = effects('voice', voice, around);
    const { start: starts } = effects('lambda', { start }, around);
    const session: OpenSessionPorts = {
      ...{
        casesAndPersonas: { find: async () => script },
        organizations: { find: async () => undefined },
        limiter: unlimitedRateLimiter,
      },
      ...{ voice: provided, calls: effects('calls', newCalls, around), clock, newCallId: () => randomUUID() },
    };
    const received: VoiceEventPorts = { calls: table, transcripts: s3, invokeProcessCall: starts, clock };
    const swept: CallSweepPorts = {
      calls: table,
      transcripts: s3,
      voice: provided,
      invokeProcessCall: starts,
      clock,
      log,
    };
    const analysed: ProcessCallPorts = {
      ...{ calls: table, transcripts: s3, voice: provided, clock, log },
      recordings: effects('s3', recordings, around),
      judge: () => around('model.judge', async () => undefined),
    };
    const asking = { ...{ caseId: randomUUID(), personaId: randomUUID() }, log };
    return {
      open: () => openSession(session, { ...asking, orgId: randomUUID(), userId: randomUUID() }),
      receive: (conversationId: string) => handleVoiceEvent(received, provider.eventOf(conversationId), log),
      sweep: () => sweepCalls(swept),
      analyse: (ids: CallIds) => processCall(analysed, ids),
    };
  };

  return { clock, calls, faults, objects, queue, counts, provider, processOf, log };
}
export type LifecycleWorld = ReturnType<typeof lifecycleWorld>;
