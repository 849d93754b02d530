import { HOUR_MS, type MemoryCall, MINUTE_MS } from './calls.ts';
import type { Around, LifecycleWorld } from './lifecycle.ts';

/** What can happen to an effect: the process dies before or after it, or it fails, undone or done, and the process goes on. */
export const FAULTS = ['dies before', 'dies after', 'is throttled', 'loses the answer'] as const;
export type Fault = (typeof FAULTS)[number];

/** Counts the effects of all processes together; those that `faultAt` names meet their fault. */
export function injector(faultAt: (effect: number) => Fault | undefined) {
  const seen: string[] = [];
  const process = (): Around => {
    let dead = false;
    return async (effect, work) => {
      if (dead) throw new Error('killed');
      const fault = faultAt(seen.push(effect) - 1);
      dead = fault === 'dies before' || fault === 'dies after';
      if (fault === 'dies before' || fault === 'is throttled') throw new Error(fault);
      const done = await work();
      if (fault !== undefined) throw new Error(fault);
      return done;
    };
  };
  return { seen, process };
}

const isOver = ({ dueAtMs }: MemoryCall) => dueAtMs === undefined;

/** What is queued is run, three times at most, as Lambda does it. */
async function runQueue(world: LifecycleWorld, around?: () => Around): Promise<void> {
  for (let ids = world.queue.shift(); ids !== undefined; ids = world.queue.shift()) {
    for (let attempt = 1; attempt <= 3; attempt++) {
      const analysed = await world
        .processOf(around?.())
        .analyse(ids)
        .catch(() => undefined);
      if (analysed !== undefined) break;
    }
  }
}

/** From one look at a call to the next. */
const LONGEST_WAIT_MS = 24 * HOUR_MS + 15 * MINUTE_MS;

/** Lets sweeper and analyser run again and again until nothing is left. @returns the rounds it took */
export async function settle(world: LifecycleWorld, around?: () => Around, roundsMax = 60): Promise<number> {
  for (let round = 0; round < roundsMax; round++) {
    await runQueue(world, around);
    if ([...world.calls.stored.values()].every(isOver)) return round;
    // To when something is due; at least by the schedule's five minutes.
    const next = Math.min(
      ...[...world.calls.stored.values()].map(({ dueAtMs }) => dueAtMs ?? Number.POSITIVE_INFINITY),
    );
    if (next > world.clock.ms + LONGEST_WAIT_MS)
      throw new Error(`Something waits for more than a day: ${states(world)}`);
    world.clock.ms = Math.max(world.clock.ms + 5 * MINUTE_MS, next);
    await world
      .processOf(around?.())
      .sweep()
      .catch(() => undefined);
  }
  throw new Error(`Something was left after ${roundsMax} rounds: ${states(world)}`);
}

const states = ({ calls }: LifecycleWorld) => [...calls.stored.values()].map(({ status }) => status).join(', ');

/** What must hold of every call that is over, however it came there. */
export function faultsOf(world: LifecycleWorld): string[] {
  const faults = [...world.faults];
  for (const call of world.calls.stored.values()) {
    const { status, conversation, analysis, score, recordingKey, failureReason } = call;
    if (!['ready', 'failed', 'abandoned'].includes(status)) faults.push(`it ended ${status}`);
    if (!isOver(call)) faults.push('it is still due');
    if (status === 'ready' && (analysis === null || score === null)) faults.push('ready without a score');
    if (status === 'failed' && !/^[A-Z].+\.$/.test(failureReason ?? '')) faults.push('failed without a reason');
    if (status !== 'ready' && (analysis !== null || score !== null)) faults.push(`${status} with a score`);
    if (recordingKey !== null && !world.objects.has(recordingKey)) faults.push('a recording that is not there');
    const transcript = conversation?.transcript;
    if (transcript && 'key' in transcript && !world.objects.has(transcript.key)) faults.push('its transcript is lost');
    if (status === 'abandoned' && conversation !== undefined) faults.push('abandoned with a conversation');
  }
  return faults;
}
