import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDynamoRewriteLease } from '../../../shared/analytics/erasure/aws/rewrite-lease.ts';
import {
  createWithLease,
  LEASE_TTL_MS,
  LeaseLostError,
  type LeaseRepository,
  LeaseTimeoutError,
} from '../../../shared/platform/lease.ts';
import { useDynamo } from '../../support/dynamo.ts';
import { createFastLeasePorts, createMemoryLeaseRepository } from '../../support/platform/lease.ts';

useDynamo();

const PATIENT_MS = 2 * LEASE_TTL_MS;
/** Acquires the lease for a holder that then crashes. */
async function dead(record: LeaseRepository): Promise<void> {
  await record.tryAcquire(await record.read(), { holder: 'dead', heartbeatId: 'last' });
}

describe('a lease', () => {
  test.each([
    ['in memory', createMemoryLeaseRepository],
    ['in the analytics table', createDynamoRewriteLease],
  ])(
    '%s is acquired only by a process that passes its current state, and is renewed and released only by its holder',
    async (_, make) => {
      const record = make();
      expect(await record.read()).toBeUndefined();
      expect(await record.tryAcquire({ holder: 'x', heartbeatId: '0' }, { holder: 'a', heartbeatId: '1' })).toBe(false);
      expect(await record.tryAcquire(undefined, { holder: 'a', heartbeatId: '1' })).toBe(true);
      expect(await record.tryAcquire(undefined, { holder: 'b', heartbeatId: '2' })).toBe(false);
      expect(await record.renew({ holder: 'b', heartbeatId: '2' })).toBe(false);
      await record.release({ holder: 'b', heartbeatId: '' }, '2');
      expect(await record.read()).toEqual({ holder: 'a', heartbeatId: '1' });
      expect(await record.renew({ holder: 'a', heartbeatId: '3' })).toBe(true);
      expect(await record.tryAcquire({ holder: 'a', heartbeatId: '1' }, { holder: 'b', heartbeatId: '4' })).toBe(false);
      await record.release({ holder: 'a', heartbeatId: '' }, '5');
      expect(await record.renew({ holder: 'a', heartbeatId: '6' })).toBe(false);
      expect(await record.read()).toEqual({ holder: '', heartbeatId: '5' });
      expect(await record.tryAcquire({ holder: '', heartbeatId: '5' }, { holder: 'b', heartbeatId: '7' })).toBe(true);
    },
  );
});

const anyProcess = fc.record({ writes: fc.nat({ max: 4 }), dies: fc.boolean(), stalls: fc.boolean() });
type SimulatedProcess = typeof anyProcess extends fc.Arbitrary<infer T> ? T : never;

/**
 * Runs processes concurrently with delayed responses. Returns the successive holders of the lease, and the outcomes of
 * the processes that did not crash.
 */
async function runConcurrently(processes: readonly SimulatedProcess[], s: fc.Scheduler) {
  const [memory, valid, ended] = [createMemoryLeaseRepository(), [] as string[], Promise.withResolvers<void>()];
  const step = () => s.schedule(Promise.resolve());
  const slow = async <T>(call: () => Promise<T>): Promise<T> => {
    await step();
    const answer = await call();
    await step();
    return answer;
  };
  const noted = (isMine: boolean, holder: string) => {
    if (isMine && valid.at(-1) !== holder) valid.push(holder);
    return isMine;
  };
  const record: LeaseRepository = {
    read: () => slow(memory.read),
    tryAcquire: (seen, own) => slow(async () => noted(await memory.tryAcquire(seen, own), own.holder)),
    renew: (own) => slow(async () => noted(await memory.renew(own), own.holder)),
    release: (own, heartbeatId) => slow(() => memory.release(own, heartbeatId)),
  };
  const withLease = createWithLease({ ...createFastLeasePorts(record), sleep: step }, { waitMs: 20 * PATIENT_MS });
  const ends = processes.map(({ writes, dies, stalls }) =>
    withLease(async ({ assertHeld: confirm }) => {
      for (let at = 0; at < writes; at++) await confirm();
      if (dies) await ended.promise;
      for (let steps = 0; stalls && steps < 500; steps++) await step();
    }).then(
      () => 'done',
      (error: Error) => (error instanceof LeaseTimeoutError ? 'timeout' : 'lost'),
    ),
  );
  const outcomes = await s.waitFor(Promise.all(ends.filter((_, at) => processes[at]?.dies !== true)));
  ended.resolve();
  return { valid, outcomes };
}

test('in any interleaving of processes and crashes, a process that has lost the lease never holds it again', async () => {
  const seen = new Set<string>();
  const anyProcesses = fc.array(anyProcess, { minLength: 2, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), anyProcesses, async (s, processes) => {
      const { valid, outcomes } = await runConcurrently(processes, s);
      expect(valid).toEqual([...new Set(valid)]);
      expect(outcomes).not.toContain('timeout');
      for (const outcome of outcomes) seen.add(outcome);
    }),
    { numRuns: 60 },
  );
  expect([...seen].sort()).toEqual(['done', 'lost']);
}, 60_000);

test('a second process waits for the lease until the first process has ended, and reports the wait once', async () => {
  const ports = createFastLeasePorts();
  const reported: string[] = [];
  const withLease = createWithLease(ports, { waitMs: PATIENT_MS, onWait: () => void reported.push('waits') });
  const first = Promise.withResolvers<void>();
  const order: string[] = [];
  const one = withLease(async () => {
    await first.promise;
    order.push('one');
  });
  const two = withLease(async () => void order.push('two'));
  for (let waited = 0; waited < 5; waited++) await ports.sleep(0);
  expect(order).toEqual([]);
  first.resolve();
  await Promise.all([one, two]);
  expect([order, reported]).toEqual([['one', 'two'], ['waits']]);
});

test('a process that waits too long for a lease fails without starting its work, and the holder keeps the lease', async () => {
  const record = createMemoryLeaseRepository();
  await dead(record);
  const before = record.standing();
  const done: string[] = [];
  const withLease = createWithLease(createFastLeasePorts(record), { waitMs: LEASE_TTL_MS / 2 });
  await expect(withLease(async () => void done.push('work'))).rejects.toThrow(LeaseTimeoutError);
  expect([done, record.standing()]).toEqual([[], before]);
});

test('the lease of a crashed process expires, and a late renewal by that process is rejected', async () => {
  const record = createMemoryLeaseRepository();
  await dead(record);
  const withLease = createWithLease(createFastLeasePorts(record), { waitMs: PATIENT_MS });
  expect(await withLease(async () => 'done')).toBe('done');
  expect(await record.renew({ holder: 'dead', heartbeatId: 'late' })).toBe(false);
});

test('withLease releases the lease if the work fails, and throws the error of the work', async () => {
  const record = createMemoryLeaseRepository();
  const withLease = createWithLease(createFastLeasePorts(record), { waitMs: 0 });
  await expect(withLease(() => Promise.reject(new Error('killed')))).rejects.toThrow('killed');
  expect(record.standing()?.holder).toBe('');
  expect(await withLease(async () => 'next')).toBe('next');
});

test('work fails if it loses the lease, even if it writes nothing, because it may have read inconsistent data', async () => {
  const record = createMemoryLeaseRepository();
  const withLease = createWithLease(createFastLeasePorts(record), { waitMs: 0 });
  await expect(withLease(() => dead(record))).rejects.toThrow(LeaseLostError);
  expect(record.standing()?.holder).toBe('dead');
});

test('withLease renews the lease while the work runs, and not after the work has ended', async () => {
  const record = createMemoryLeaseRepository();
  const running: (() => void)[] = [];
  const every = (_: number, run: () => void) => {
    running.push(run);
    return () => void running.splice(running.indexOf(run), 1);
  };
  const ports = { ...createFastLeasePorts(record), every };
  const before = await createWithLease(ports, { waitMs: 0 })(async () => {
    const first = record.standing();
    for (const run of running) run();
    await ports.sleep(1);
    expect(record.standing()?.holder).toBe(first?.holder);
    expect(record.standing()?.heartbeatId).not.toBe(first?.heartbeatId);
    return running.length;
  });
  expect([before, running.length]).toEqual([1, 0]);
});

test('if the response to an acquire is lost, the process gets the lease without waiting for its expiry', async () => {
  const record = createMemoryLeaseRepository();
  let lost = false;
  const take: LeaseRepository['tryAcquire'] = async (seen, own) => {
    const taken = await record.tryAcquire(seen, own);
    if (lost) return taken;
    lost = true;
    return false;
  };
  expect(
    await createWithLease(createFastLeasePorts({ ...record, tryAcquire: take }), { waitMs: 1_000 })(async () => 'done'),
  ).toBe('done');
});
