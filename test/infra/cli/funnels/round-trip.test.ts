import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getDefinition } from '../../../../infra/cli/funnels/funnel-lifecycle.ts';
import { issuesInText } from '../../../support/cli/funnel-definition.ts';
import { funnelFiles } from '../../../support/cli/funnel-definition-arbitrary.ts';
import { aFunnelRepository } from '../../../support/cli/funnel-repository.ts';
import { useDynamo } from '../../../support/dynamo.ts';

useDynamo();

const world = aFunnelRepository();

test('the exported file equals the published file, and publishing the exported file changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(funnelFiles, async (file) => {
      expect(issuesInText(JSON.stringify(file))).toEqual([]);
      const { id, versionIds } = await world.aFunnel(file);
      expect(await getDefinition(world.funnels, id)).toEqual(file);
      expect(await getDefinition(world.funnels, id, versionIds[0])).toEqual(file);
      const again = await world.publish(id, JSON.parse(JSON.stringify(await getDefinition(world.funnels, id))));
      expect([again.isAlreadyPublished, again.version.id]).toEqual([true, versionIds[0]]);
    }),
    { numRuns: 25 },
  );
});

test('after any three publications, the exported file of each version equals its published file', async () => {
  await fc.assert(
    fc.asyncProperty(fc.tuple(funnelFiles, funnelFiles, funnelFiles), async (files) => {
      const { id, versionIds } = await world.aFunnel(...files);
      for (const [index, file] of files.entries())
        expect(await getDefinition(world.funnels, id, versionIds[index])).toEqual(file);
    }),
    { numRuns: 8 },
  );
});
