import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withOutputFile } from '../../../../infra/cli/terminal/output-file.ts';
import { BrokenPipeError, createTerminal } from '../../../../infra/cli/terminal/terminal.ts';
import { admin } from '../../../support/cli/admin.ts';

const failingWith = (code: string) =>
  new Writable({ write: (_, __, done) => done(Object.assign(new Error(code), { code })) });

describe('output file', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-out-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const terminal = createTerminal({ stdout: new PassThrough(), stderr: new PassThrough() });
  const into = (name: string, work: Parameters<typeof withOutputFile>[2]) =>
    withOutputFile(join(folder, name), terminal, work);

  test('replaces an earlier file only when the output is complete; only the owner can read the new file', async () => {
    const file = join(folder, 'leads.csv');
    await writeFile(file, 'earlier');
    await into('leads.csv', async (write) => {
      await write('a');
      expect(await readFile(file, 'utf8')).toBe('earlier');
      await write('b');
    });
    expect(await readFile(file, 'utf8')).toBe('ab');
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect(await readdir(folder)).toEqual(['leads.csv']);
  });

  test('contains the complete output of one writer if two writers run concurrently', async () => {
    const started = Promise.withResolvers<void>();
    const one = into('leads.csv', async (write) => {
      await write('one ');
      await started.promise;
      await write('and one');
    });
    await into('leads.csv', (write) => write('two').then(() => started.resolve()));
    await one;
    expect(['one and one', 'two']).toContain(await readFile(join(folder, 'leads.csv'), 'utf8'));
    expect(await readdir(folder)).toEqual(['leads.csv']);
  });

  test('stays unchanged if the work fails, and no temporary file is left', async () => {
    await writeFile(join(folder, 'leads.csv'), 'earlier');
    const work = into('leads.csv', async (write) => {
      await write('half');
      throw new Error('no more leads');
    });
    await expect(work).rejects.toThrow('no more leads');
    expect(await readFile(join(folder, 'leads.csv'), 'utf8')).toBe('earlier');
    expect(await readdir(folder)).toEqual(['leads.csv']);
  });

  test('is written to the target of a symbolic link', async () => {
    await writeFile(join(folder, 'there.csv'), '');
    await symlink(join(folder, 'there.csv'), join(folder, 'link.csv'));
    await into('link.csv', (write) => write('a'));
    expect(await readFile(join(folder, 'there.csv'), 'utf8')).toBe('a');
    expect((await readdir(folder)).toSorted()).toEqual(['link.csv', 'there.csv']);
  });

  test('fails before the work begins if its folder does not exist', async () => {
    let begun = false;
    const work = into('no/such/folder.csv', async () => {
      begun = true;
    });
    await expect(work).rejects.toThrow('folder.csv cannot be written: its folder does not exist.');
    expect(begun).toBe(false);
  });

  test.skipIf(process.platform === 'win32')('is not replaced if it is a device such as /dev/null', async () => {
    await withOutputFile('/dev/null', terminal, (write) => write('a'));
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
  });
});

describe('standard output', () => {
  test('makes the command wait while the reader is slow', async () => {
    let taken = 0;
    const take: (() => void)[] = [];
    const stdout = new Writable({
      write: (_, __, done) => {
        take.push(done);
      },
    });
    const { write } = createTerminal({ stdout, stderr: new PassThrough() });
    const work = (async () => {
      for (; taken < 3; taken++) await write('x');
    })();
    await turn();
    expect(taken).toBe(0);
    for (let done = take.shift(); done !== undefined; done = take.shift()) {
      done();
      await turn();
      await turn();
    }
    await work;
    expect(taken).toBe(3);
  });

  test('ends the command without an error if its reader closes the pipe', async () => {
    const { write } = createTerminal({ stdout: failingWith('EPIPE'), stderr: new PassThrough() });
    await expect(write('x')).rejects.toBeInstanceOf(BrokenPipeError);
    const connect = () => Promise.reject(new BrokenPipeError());
    const funnel = '00000000-0000-4000-8000-000000000000';
    expect(await admin(['leads', 'list', funnel], { connect })).toEqual({ code: 0, out: '', err: '' });
  });

  test('rejects a write that fails because of a full disk', async () => {
    const { write } = createTerminal({ stdout: failingWith('ENOSPC'), stderr: new PassThrough() });
    await expect(write('x')).rejects.toThrow('ENOSPC');
  });

  test('has a width only if it is a terminal, and the width is at least 80 columns', () => {
    const stdout = (columns?: number) =>
      Object.assign(new PassThrough(), { isTTY: columns !== undefined, ...(columns && { columns }) });
    const columnsOf = (columns?: number) =>
      createTerminal({ stdout: stdout(columns), stderr: new PassThrough() }).columns;
    expect([columnsOf(), columnsOf(40), columnsOf(132)]).toEqual([undefined, 80, 132]);
  });
});
