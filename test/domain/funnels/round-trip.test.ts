import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fileOf } from '../../../shared/directory/keep-funnel.ts';
import { useDynamo } from '../../support/dynamo.ts';
import { aFunnelDesk } from '../../support/funnel-desk.ts';
import { faultsOf } from '../../support/funnel-file.ts';
import { funnelFiles } from '../../support/funnel-file-arbitrary.ts';

useDynamo();

const world = aFunnelDesk();

test('whatever file is published, its version gives an equal one, which changes nothing when it is published', async () => {
  await fc.assert(
    fc.asyncProperty(funnelFiles, async (file) => {
      expect(faultsOf(JSON.stringify(file))).toEqual([]);
      const { id, versionIds } = await world.aFunnel(file);
      expect(await fileOf(world.desk, id)).toEqual(file);
      expect(await fileOf(world.desk, id, versionIds[0])).toEqual(file);
      const again = await world.publish(id, JSON.parse(JSON.stringify(await fileOf(world.desk, id))));
      expect([again.isThere, again.version.id]).toEqual([true, versionIds[0]]);
    }),
    { numRuns: 25 },
  );
});

test('whatever files follow each other, each version gives its own', async () => {
  await fc.assert(
    fc.asyncProperty(fc.tuple(funnelFiles, funnelFiles, funnelFiles), async (files) => {
      const { id, versionIds } = await world.aFunnel(...files);
      for (const [index, file] of files.entries())
        expect(await fileOf(world.desk, id, versionIds[index])).toEqual(file);
    }),
    { numRuns: 8 },
  );
});
