import { expect, test } from 'vitest';
import { archiveFunnel, unpublishFunnel } from '../../../../infra/cli/funnels/funnel-lifecycle.ts';
import { applyPublication, planStoredVersion } from '../../../../infra/cli/funnels/publication.ts';
import { createDynamoFunnelRepository } from '../../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { createDynamoLeadRepository } from '../../../../shared/leads/aws/dynamo-lead-repository.ts';
import { aFunnelDefinition } from '../../../support/cli/funnel-definition.ts';
import { aFunnelRepository } from '../../../support/cli/funnel-repository.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { NOON } from '../../../support/leads/lead-repository.ts';
import { setUpSubmit } from '../../../support/leads/submit.ts';

useDynamo();

const POINTER_MS = 30_000;
const DAY_MS = 86_400_000;
const taking = (type: 'text' | 'integer') => aFunnelDefinition({ fields: [{ id: 'cakes', type }] });

/** Publishes a funnel. The submit operation shares only the clock with the publication, not repositories or caches. */
async function aLiveFunnel() {
  const clock = { ms: NOON, now: () => clock.ms };
  const world = aFunnelRepository();
  const ports = { funnels: world.funnels, clock };
  const { id, versionIds } = await world.aFunnel(taking('text'));
  const { call } = setUpSubmit({
    ports: { funnels: createDynamoFunnelRepository(clock), leads: createDynamoLeadRepository(), clock },
  });
  const statusOf = async (versionId?: string) => {
    const body = { data: { cakes: 'two' }, ...(versionId && { funnel_version_id: versionId }) };
    return (await call({ path: { id }, body })).status;
  };
  const republish = async (versionId: string) =>
    applyPublication(ports, await planStoredVersion(world.funnels, id, versionId));
  return { ...world, ports, clock, id, first: versionIds[0] ?? '', statusOf, republish };
}

test('30 s after a publication, submits are validated by the new version, except submits that name an older version', async () => {
  const { id, clock, first, publish, statusOf } = await aLiveFunnel();
  expect(await statusOf()).toBe(200);
  const { version } = await publish(id, taking('integer'));
  clock.ms += POINTER_MS;
  expect([await statusOf(), await statusOf(version.id), await statusOf(first)]).toEqual([422, 422, 200]);
});

test('30 s after a rollback, submits are validated by the older version, except submits that name the newer version', async () => {
  const { id, clock, first, publish, republish, statusOf } = await aLiveFunnel();
  const { version } = await publish(id, taking('integer'));
  expect(await statusOf()).toBe(422);
  await republish(first);
  clock.ms += POINTER_MS;
  expect([await statusOf(), await statusOf(version.id)]).toEqual([200, 422]);
});

test('404: 24 h after a funnel was unpublished, submits are rejected until the funnel is published again', async () => {
  const { id, clock, ports, first, republish, statusOf } = await aLiveFunnel();
  await unpublishFunnel(ports, id);
  clock.ms += DAY_MS - POINTER_MS;
  expect(await statusOf()).toBe(200);
  clock.ms += POINTER_MS;
  expect(await statusOf()).toBe(404);
  await republish(first);
  clock.ms += POINTER_MS;
  expect(await statusOf()).toBe(200);
});

test('404: 30 s after a funnel was archived, submits are rejected', async () => {
  const { id, clock, ports, statusOf } = await aLiveFunnel();
  expect(await statusOf()).toBe(200);
  await archiveFunnel(ports, id);
  clock.ms += POINTER_MS;
  expect(await statusOf()).toBe(404);
});
