import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from './run-command.ts';

test('run returns the exit code and the captured output', async () => {
  const script = 'console.log("out"); console.error("err"); process.exit(3)';
  const { code, output } = await run(process.execPath, ['-e', script], 'capture');
  expect([code, output.split('\n').toSorted()]).toEqual([3, ['', 'err', 'out']]);
});

test('SIGTERM to a process that called `run` ends the program that `run` started, and then the process', async () => {
  const module = JSON.stringify(join(import.meta.dirname, 'run-command.ts'));
  const program = 'console.log(process.pid); setInterval(() => {}, 1000)';
  const call = `await run(process.execPath, ['-e', ${JSON.stringify(program)}], 'print')`;
  const script = `import { run } from ${module}; ${call}; setInterval(() => {}, 1000)`;
  const runner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await once(runner.stdout, 'data');
  const pid = Number(String(printed));
  expect(process.kill(pid, 0)).toBe(true);
  runner.kill();
  expect(await once(runner, 'exit')).toEqual([null, 'SIGTERM']);
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});
