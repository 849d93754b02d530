import { EventEmitter } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { handleInterrupts } from '../../../../infra/cli/terminal/interrupts.ts';
import { withOutputFile } from '../../../../infra/cli/terminal/output-file.ts';
import { createTerminal } from '../../../../infra/cli/terminal/terminal.ts';
import { createWithLease } from '../../../../shared/platform/lease.ts';
import { createFastLeasePorts, createMemoryLeaseRepository } from '../../../support/platform/lease.ts';

function aProcess() {
  const exits: number[] = [];
  const notes: string[] = [];
  const emitter = new EventEmitter();
  const process = { on: emitter.on.bind(emitter), exit: (code: number) => void exits.push(code) };
  const onInterrupt = handleInterrupts(process as never, (line) => void notes.push(line));
  return { exits, notes, onInterrupt, interrupt: (signal = 'SIGINT') => emitter.emit(signal) };
}

test('an interrupt runs all registered clean-ups, newest first, and exits with 130', async () => {
  const { exits, onInterrupt, interrupt } = aProcess();
  const cleaned: string[] = [];
  const register = (name: string) =>
    onInterrupt(async () => {
      await null;
      cleaned.push(name);
    });
  register('first');
  const remove = register('done');
  register('last');
  remove();
  interrupt('SIGTERM');
  await vi.waitFor(() => expect(exits).toEqual([130]));
  expect(cleaned).toEqual(['last', 'first']);
});

test('a second interrupt exits immediately; if no clean-up is registered, the first interrupt exits immediately', async () => {
  const [stuck, idle] = [aProcess(), aProcess()];
  stuck.onInterrupt(() => new Promise(() => undefined));
  stuck.interrupt();
  expect(stuck.exits).toEqual([]);
  stuck.interrupt();
  expect(stuck.exits).toEqual([130]);
  idle.interrupt();
  expect(idle.exits).toEqual([130]);
});

test('a failed clean-up is reported, and the other clean-ups run', async () => {
  const { exits, notes, onInterrupt, interrupt } = aProcess();
  const cleaned: string[] = [];
  onInterrupt(async () => void cleaned.push('other'));
  onInterrupt(() => Promise.reject(new Error('the table is gone')));
  interrupt();
  await vi.waitFor(() => expect(exits).toEqual([130]));
  expect(cleaned).toEqual(['other']);
  expect(notes.at(-1)).toContain('the table is gone');
});

test('an interrupted write of an output file leaves no .part file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-interrupt-'));
  const { exits, onInterrupt, interrupt } = aProcess();
  const terminal = { ...createTerminal({ stdout: new PassThrough(), stderr: new PassThrough() }), onInterrupt };
  void withOutputFile(join(folder, 'leads.csv'), terminal, async (write) => {
    await write('ada@shop.example\n');
    await new Promise(() => undefined);
  });
  await vi.waitFor(async () => expect(await readdir(folder)).toEqual([expect.stringMatching(/\.part$/)]));
  interrupt();
  await vi.waitFor(() => expect(exits).toEqual([130]));
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

test('an interrupt releases the lease of a command, so the next check of the lease fails', async () => {
  const { exits, onInterrupt, interrupt } = aProcess();
  const record = createMemoryLeaseRepository();
  const confirmed: Promise<void>[] = [];
  const goOn = Promise.withResolvers<void>();
  const withLease = createWithLease(createFastLeasePorts(record), {
    waitMs: 0,
    owner: 'leads erase on host',
    onInterrupt,
  });
  const work = withLease(async ({ assertHeld: confirm }) => {
    await confirm();
    await goOn.promise;
    confirmed.push(confirm());
    await confirmed[0];
  });
  work.catch(() => undefined);
  await vi.waitFor(() => expect(record.standing()).toMatchObject({ owner: 'leads erase on host' }));
  interrupt();
  goOn.resolve();
  await expect(work).rejects.toThrow('interrupted');
  await vi.waitFor(() => expect(exits).toEqual([130]));
  expect(record.standing()).toMatchObject({ holder: '' });
});

test('a command that waits for the lease names the owner of the lease', async () => {
  const record = createMemoryLeaseRepository();
  await record.tryAcquire(undefined, { holder: 'other', heartbeatId: '1', owner: 'leads erase on host' });
  const owners: (string | undefined)[] = [];
  const withLease = createWithLease(createFastLeasePorts(record), {
    waitMs: 2_000,
    onWait: (owner) => void owners.push(owner),
  });
  await expect(withLease(async () => undefined)).rejects.toThrow('leads erase on host is still running');
  expect(owners).toEqual(['leads erase on host']);
});

test('a command that is interrupted while it waits for the lease never acquires the lease', async () => {
  const { exits, onInterrupt, interrupt } = aProcess();
  const record = createMemoryLeaseRepository();
  await record.tryAcquire(undefined, { holder: 'other', heartbeatId: '1' });
  const ports = createFastLeasePorts(record);
  const waiting = createWithLease(
    { ...ports, newId: () => 'waiting' },
    { waitMs: 120_000, onInterrupt },
  )(async () => 'done');
  waiting.catch(() => undefined);
  interrupt();
  await record.release({ holder: 'other', heartbeatId: '' }, '2');
  await expect(waiting).rejects.toThrow('interrupted');
  await vi.waitFor(() => expect(exits).toEqual([130]));
  expect(record.standing()).toMatchObject({ holder: '' });
});
