import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { watchSources } from '../../../../infra/local/dev/watch-sources.ts';

const folder = await mkdtemp(join(tmpdir(), 'tributary-watch-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

test('after two saves in quick succession, onChange runs after the second save, in each of 150 attempts', async () => {
  const file = join(folder, 'source.txt');
  await writeFile(file, '0');
  let seen = '';
  const stopWatching = await watchSources(file, async () => {
    seen = await readFile(file, 'utf8');
    await delay(3);
  });
  onTestFinished(stopWatching);
  for (let at = 1; at <= 150; at++) {
    // After a save, chokidar ignores changes for 50 ms. In half of the attempts, the second save is within this time.
    // In the other half, it is after this time.
    const betweenMs = at % 2 === 0 ? at % 30 : 50 + (at % 10);
    for (const save of ['first', 'second']) {
      await writeFile(file, `${save} save ${at}`);
      await delay(save === 'first' ? betweenMs : 0);
    }
    await vi.waitFor(() => expect(seen).toBe(`second save ${at}`), { timeout: 2_000, interval: 5 });
  }
});
