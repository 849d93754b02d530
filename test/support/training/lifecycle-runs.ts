import { HOUR_MS, type MemoryCall, MINUTE_MS } from './calls.ts';
import type { Around, LifecycleWorld } from './lifecycle.ts';

/**
 * Faults of an effect (one call of a port). `dies before`, `dies after`: the process dies before or after the effect.
 * `is throttled`: the effect is not done and throws. `loses the response`: the effect is done and throws. After
 * `is throttled` and `loses the response`, the process continues.
 */
export const FAULTS = ['dies before', 'dies after', 'is throttled', 'loses the response'] as const;
export type Fault = (typeof FAULTS)[number];

/** Numbers the effects of all processes in sequence, and injects the faults that `faultAt` returns. */
export function createFaultInjector(faultAt: (effect: number) => Fault | undefined) {
  const seen: string[] = [];
  const process = (): Around => {
    let isDead = false;
    return async (effect, work) => {
      if (isDead) throw new Error('killed');
      const fault = faultAt(seen.push(effect) - 1);
      isDead = fault === 'dies before' || fault === 'dies after';
      if (fault === 'dies before' || fault === 'is throttled') throw new Error(fault);
      const done = await work();
      if (fault !== undefined) throw new Error(fault);
      return done;
    };
  };
  return { seen, process };
}

const hasNoWorkLeft = ({ dueAtMs }: MemoryCall) => dueAtMs === undefined;

/** Runs the queued analyses, each at most three times, as Lambda does. */
async function runQueue(world: LifecycleWorld, around?: () => Around): Promise<void> {
  for (let ids = world.queue.shift(); ids !== undefined; ids = world.queue.shift()) {
    for (let attempt = 1; attempt <= 3; attempt++) {
      const outcome = await world
        .processOf(around?.())
        .analyse(ids)
        .catch(() => undefined);
      if (outcome !== undefined) break;
    }
  }
}

/** The longest delay in `call-schedule.ts` is 24 hours. Adds a margin of 15 minutes. */
const LONGEST_DELAY_MS = 24 * HOUR_MS + 15 * MINUTE_MS;

/** Runs the analyses and the sweeper until no call has work left. @returns the number of sweeper runs */
export async function settle(world: LifecycleWorld, around?: () => Around, roundsMax = 60): Promise<number> {
  for (let round = 0; round < roundsMax; round++) {
    await runQueue(world, around);
    if ([...world.calls.stored.values()].every(hasNoWorkLeft)) return round;
    const next = Math.min(
      ...[...world.calls.stored.values()].map(({ dueAtMs }) => dueAtMs ?? Number.POSITIVE_INFINITY),
    );
    if (next > world.clock.ms + LONGEST_DELAY_MS)
      throw new Error(`A call is not due within a day: ${statusesOf(world)}`);
    // Advances the clock by at least five minutes, because the sweeper runs every five minutes.
    world.clock.ms = Math.max(world.clock.ms + 5 * MINUTE_MS, next);
    await world
      .processOf(around?.())
      .sweep()
      .catch(() => undefined);
  }
  throw new Error(`Calls have work left after ${roundsMax} rounds: ${statusesOf(world)}`);
}

const statusesOf = ({ calls }: LifecycleWorld) => [...calls.stored.values()].map(({ status }) => status).join(', ');

/** Returns violated invariants and forbidden transitions of calls. Call this function after `settle`. */
export function violationsOf(world: LifecycleWorld): string[] {
  const violations = [...world.violations];
  for (const call of world.calls.stored.values()) {
    const { status, conversation, analysis, score, recordingKey, failureReason } = call;
    if (!['ready', 'failed', 'abandoned'].includes(status)) violations.push(`ended ${status}`);
    if (!hasNoWorkLeft(call)) violations.push('still due');
    if (status === 'ready' && (analysis === null || score === null)) violations.push('ready without a score');
    if (status === 'failed' && !/^[A-Z].+\.$/.test(failureReason ?? '')) violations.push('failed without a reason');
    if (status !== 'ready' && (analysis !== null || score !== null)) violations.push(`${status} with a score`);
    if (recordingKey !== null && !world.objects.has(recordingKey)) violations.push('recordingKey without an object');
    const transcript = conversation?.transcript;
    if (transcript && 'key' in transcript && !world.objects.has(transcript.key))
      violations.push('transcript key without an object');
    if (status === 'abandoned' && conversation !== undefined) violations.push('abandoned with a conversation');
  }
  return violations;
}
