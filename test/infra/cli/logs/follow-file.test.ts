import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { followFile } from '../../../../infra/cli/logs/follow-file.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-follow-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('each line of a log file is read once, even if it is appended in two parts or the file is replaced', async () => {
  const file = join(folder, 'one.log');
  const stop = new AbortController();
  const lines = followFile(file, 0, stop.signal);
  const next = async () => (await lines.next()).value;
  const first = next();
  await writeFile(file, 'first\nsec');
  expect(await first).toBe('first');
  const second = next();
  await appendFile(file, 'önd\nthird\n');
  expect([await second, await next()]).toEqual(['secönd', 'third']);
  const fourth = next();
  await appendFile(file, '4\n');
  await rename(file, `${file}.1`);
  await writeFile(file, 'a longer first line of the new file\n');
  expect([await fourth, await next()]).toEqual(['4', 'a longer first line of the new file']);
  stop.abort();
  expect((await lines.next()).done).toBe(true);
});
