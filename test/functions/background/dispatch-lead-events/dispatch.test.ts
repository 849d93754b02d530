import { expect, test } from 'vitest';
import { createHandler } from '../../../../functions/background/dispatch-lead-events/handler.ts';
import { createDynamoBusyEndpointRepository } from '../../../../shared/deliveries/aws/dynamo-busy-endpoint-repository.ts';
import { createDynamoLaneRepository } from '../../../../shared/deliveries/aws/dynamo-lane-repository.ts';
import { createDynamoLeadErasureRepository } from '../../../../shared/leads/aws/dynamo-lead-erasure-repository.ts';
import { createDynamoLeadOutbox } from '../../../../shared/leads/aws/dynamo-lead-outbox.ts';
import { createDynamoLeadRepository } from '../../../../shared/leads/aws/dynamo-lead-repository.ts';
import { eraseLead } from '../../../../shared/privacy/erase-lead.ts';
import { dispatchWorld, ORG } from '../../../support/deliveries/dispatch-world.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aLeadChangeOf } from '../../../support/leads/stored-leads.ts';
import { setUpErasing } from '../../../support/privacy/erasing-leads.ts';

useDynamo();

test('a lead is announced when it was created, updated and erased, and the run records the outcomes', async () => {
  const world = dispatchWorld();
  const endpoint = world.endpoint();
  const { clock } = world;
  const run = createHandler({
    ...world.portsOf(),
    outbox: createDynamoLeadOutbox(clock),
    funnels: { find: async () => ({ orgId: ORG }) },
    lanes: createDynamoLaneRepository(),
    busy: createDynamoBusyEndpointRepository(),
  });
  const key = { funnelId: ORG, leadId: '5605f1b8-1344-4d52-a453-f9827ca2230f' };
  const leads = createDynamoLeadRepository();
  await leads.create(key, aLeadChangeOf({ name: 'Ada' }, { atMs: clock.ms }));
  await run();
  clock.ms += 1_000;
  await leads.merge(key, aLeadChangeOf({ name: 'Ada B.' }, { atMs: clock.ms }));
  await run();
  expect(world.typesAt(endpoint)).toEqual(['lead.created 1']);
  clock.ms += 60_000;
  await run();
  expect(world.typesAt(endpoint)).toEqual(['lead.created 1', 'lead.updated 2']);
  expect(world.arrivals[1]?.message.data).toMatchObject({ lead: { data: { name: 'Ada B.' } } });
  const { erasing } = setUpErasing();
  await eraseLead({ ...erasing, leads: createDynamoLeadErasureRepository(clock), clock }, { orgId: ORG, ...key });
  await run();
  expect(world.typesAt(endpoint)).toEqual(['lead.created 1', 'lead.updated 2', 'lead.erased 3']);
  expect(world.metrics.filter(([name]) => name === 'Deliveries_delivered')).toHaveLength(3);
});

test('a run fails if a table failed, after it has recorded the outcomes', async () => {
  const world = dispatchWorld();
  world.endpoint();
  world.create();
  const run = createHandler(
    world.portsOf((effect, work) => (effect === 'lanes.find' ? Promise.reject(new Error('down')) : work())),
  );
  await expect(run()).rejects.toThrow('could not be processed: 1.');
});
