import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { unlimitedRateLimiter } from '../../../shared/limits/rate-limits-disabled.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import type { CallIds, CallStatus } from '../../../shared/training/call.ts';
import { parseVoiceEvent } from '../../../shared/training/elevenlabs/events.ts';
import { handleVoiceEvent, type VoiceEventPorts } from '../../../shared/training/handle-voice-event.ts';
import { type OpenSessionPorts, openSession } from '../../../shared/training/open-session.ts';
import type { ConversationState } from '../../../shared/training/ports.ts';
import { type ProcessCallPorts, processCall } from '../../../shared/training/process-call.ts';
import { type CallSweepPorts, sweepCalls } from '../../../shared/training/sweep-calls.ts';
import { VoiceProviderError } from '../../../shared/training/voice-provider-errors.ts';
import { aCall, aTrainingCase, createMemoryCalls, type MemoryCall, NOON } from './calls.ts';
import { aPersona } from './sessions.ts';
import { aTurn, transcription } from './voice-webhook.ts';

/** Wraps each effect of a process (a read, a write or a request), to inject faults before, after or instead of it. */
export type Around = <T>(effect: string, work: () => Promise<T>) => Promise<T>;

/** Wraps each function of the ports as an effect. */
export function effects<P extends object>(name: string, ports: P, around: Around): P {
  const entries = Object.entries(ports).map(([key, value]) => [
    key,
    typeof value === 'function' ? (...args: unknown[]) => around(`${name}.${key}`, async () => value(...args)) : value,
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

/** Calls in memory. Collects transitions that are not allowed. */
function createWatchedCalls(clock: { now(): number }) {
  const calls = createMemoryCalls(clock);
  const violations: string[] = [];
  const set = calls.stored.set.bind(calls.stored);
  calls.stored.set = (id: string, call: MemoryCall) => {
    const before = calls.stored.get(id)?.status ?? 'pending';
    if (!ALLOWED[before].includes(call.status)) violations.push(`${before} became ${call.status}`);
    return set(id, call);
  };
  return { calls, violations };
}

type Settings = { turns?: number; padding?: string; hasAudio?: boolean | null };

/** Creates all functions that process calls, with table, bucket, queue and provider in memory. */
export function lifecycleWorld({ turns = 2, padding = '', hasAudio = true }: Settings = {}) {
  const clock = { ms: NOON, now: () => clock.ms };
  const { calls, violations } = createWatchedCalls(clock);
  const objects = new Map<string, Uint8Array>();
  const queue: CallIds[] = [];
  const counts = new Map<string, number>();
  const log: Logger = {
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
    recordMetric: (metric, value = 1) => void counts.set(metric, (counts.get(metric) ?? 0) + value),
  };
  const transcript = Array.from({ length: turns }, (_, at) =>
    aTurn({
      role: at % 2 ? 'user' : 'agent',
      message: `What do you need, ${at}? ${padding}`,
      time_in_call_secs: at * 3,
    }),
  );
  const provider = {
    conversations: new Map<string, ConversationState>(),
    recording: 'available' as 'available' | 'absent' | 'invalid',
    reachable: true,
    /** The body of the voice webhook for a conversation. */
    eventOf: (conversationId: string) => transcription(conversationId, { transcript, has_audio: hasAudio }),
    end: (conversationId: string) => {
      const spokenTurns = transcript.map(({ role, message, time_in_call_secs }) => ({
        role: role as 'user' | 'agent',
        message,
        timeInCallSecs: time_in_call_secs,
      }));
      const conversation = { conversationId, turns: spokenTurns, durationSeconds: 60, interruptions: null, hasAudio };
      provider.conversations.set(conversationId, { state: 'ended', conversation });
    },
  };
  const ifReachable = <T>(response: () => T): T => {
    if (!provider.reachable) throw new VoiceProviderError('The voice provider could not be reached.');
    return response();
  };
  const voice = {
    openVoiceSession: async () =>
      ifReachable(() => ({ signedUrl: 'wss://voice.example/', conversationId: `conv_${randomUUID()}` })),
    readConversation: async (id: string) =>
      ifReachable(() => provider.conversations.get(id) ?? ({ state: 'unknown' } satisfies ConversationState)),
    fetchRecording: async () =>
      ifReachable(() => {
        if (provider.recording === 'invalid') throw new VoiceProviderError('The response is not audio.');
        if (provider.recording === 'absent') return undefined;
        return { content: Readable.from([Buffer.from('sound')]), contentType: 'audio/mpeg' };
      }),
  };
  const bucket = {
    put: async (key: string, compressed: Uint8Array) => void objects.set(key, compressed),
    get: async (key: string) => objects.get(key),
  };
  const recordings = {
    put: async (key: string, { content }: { content: Readable }) =>
      void objects.set(key, Buffer.concat(await content.toArray())),
  };
  const invokeProcessCall = async ({ orgId, callId }: CallIds) => void queue.push({ orgId, callId });

  const newCalls: OpenSessionPorts['calls'] = {
    add: async ({ trainingCase, ...call }) => {
      calls.add(aCall({ ...call, caseSnapshot: trainingCase }));
      return 'added';
    },
  };
  const caseAndPersona = { trainingCase: aTrainingCase(), persona: aPersona() };

  const processOf = (around: Around = (_effect, work) => work()) => {
    const [table, s3] = [effects('calls', calls, around), effects('s3', bucket, around)];
    const wrappedVoice = effects('voice', voice, around);
    const lambda = effects('lambda', { invokeProcessCall }, around);
    const sessionPorts: OpenSessionPorts = {
      casesAndPersonas: { find: async () => caseAndPersona },
      organizations: { find: async () => undefined },
      limiter: unlimitedRateLimiter,
      voice: wrappedVoice,
      calls: effects('calls', newCalls, around),
      clock,
      newCallId: () => randomUUID(),
    };
    const webhookPorts: VoiceEventPorts = { calls: table, transcripts: s3, ...lambda, clock };
    const sweepPorts: CallSweepPorts = {
      calls: table,
      transcripts: s3,
      voice: wrappedVoice,
      ...lambda,
      clock,
      log,
    };
    const analysisPorts: ProcessCallPorts = {
      calls: table,
      transcripts: s3,
      voice: wrappedVoice,
      clock,
      log,
      recordings: effects('s3', recordings, around),
      judge: () => around('model.judge', async () => undefined),
    };
    const input = { caseId: randomUUID(), personaId: randomUUID(), log };
    return {
      open: () => openSession(sessionPorts, { ...input, orgId: randomUUID(), userId: randomUUID() }),
      receive: (conversationId: string) =>
        handleVoiceEvent(webhookPorts, parseVoiceEvent(provider.eventOf(conversationId)), log),
      sweep: () => sweepCalls(sweepPorts),
      analyse: (ids: CallIds) => processCall(analysisPorts, ids),
    };
  };

  return { clock, calls, violations, objects, queue, counts, provider, processOf, log };
}
export type LifecycleWorld = ReturnType<typeof lifecycleWorld>;
