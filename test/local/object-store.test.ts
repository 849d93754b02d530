import { statSync } from 'node:fs';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { answerAfterWriting } from '../../infra/local/object-store.ts';

test('an object is whole on the disk when its PUT is answered, so that a kill right behind can not tear it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-objects-'));
  const file = join(folder, 'object');
  const store = {
    getResourcePath: () => file,
    // As s3rver does it: the answer comes while the file is being written.
    putObject: async (_object: { bucket: string; key: string }) => {
      await writeFile(file, 'first half, ');
      void delay(50).then(() => appendFile(file, 'second half'));
      return { size: 'first half, second half'.length, md5: '' };
    },
  };
  answerAfterWriting(store);
  const { size } = await store.putObject({ bucket: 'bucket', key: 'object' });
  expect(statSync(file).size).toBe(size);
  await rm(folder, { recursive: true });
});
