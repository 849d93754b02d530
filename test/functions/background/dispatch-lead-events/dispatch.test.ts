import { expect, test } from 'vitest';
import { createHandler } from '../../../../functions/background/dispatch-lead-events/handler.ts';
import { createDynamoBusyEndpointRepository } from '../../../../shared/deliveries/aws/dynamo-busy-endpoint-repository.ts';
import { createDynamoLaneRepository } from '../../../../shared/deliveries/aws/dynamo-lane-repository.ts';
import { createLeadEvents } from '../../../../shared/deliveries/lead-events.ts';
import type { DispatchPorts } from '../../../../shared/deliveries/ports.ts';
import { createDynamoLeadErasureRepository } from '../../../../shared/leads/aws/dynamo-lead-erasure-repository.ts';
import { createDynamoLeadOutbox } from '../../../../shared/leads/aws/dynamo-lead-outbox.ts';
import { createDynamoLeadRepository } from '../../../../shared/leads/aws/dynamo-lead-repository.ts';
import { eraseLead } from '../../../../shared/privacy/erase-lead.ts';
import { createDynamoEndpointReader } from '../../../../shared/webhooks/aws/dynamo-endpoint-reader.ts';
import { createDynamoEndpointRepository } from '../../../../shared/webhooks/aws/dynamo-endpoint-repository.ts';
import { dispatchWorld, ORG } from '../../../support/deliveries/dispatch-world.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aLeadChangeOf } from '../../../support/leads/stored-leads.ts';
import { setUpErasing } from '../../../support/privacy/erasing-leads.ts';
import { anEndpoint, NOON } from '../../../support/webhooks/endpoints.ts';

useDynamo();

const KEY = { funnelId: ORG, leadId: '5605f1b8-1344-4d52-a453-f9827ca2230f' };

/** The function, which stores leads, lanes and endpoints in DynamoDB. */
const createRun = (world: ReturnType<typeof dispatchWorld>, ports: Partial<DispatchPorts> = {}) =>
  createHandler({
    ...world.portsOf(),
    sources: {
      lead: createLeadEvents({
        outbox: createDynamoLeadOutbox(world.clock),
        funnels: { find: async () => ({ orgId: ORG }) },
        clock: world.clock,
      }),
    },
    lanes: createDynamoLaneRepository(),
    busy: createDynamoBusyEndpointRepository(),
    ...ports,
  });

test('sends a message after a lead is created, updated and erased, and records the outcomes', async () => {
  const world = dispatchWorld();
  const endpoint = world.endpoint();
  const { clock } = world;
  const run = createRun(world);
  const leads = createDynamoLeadRepository();
  await leads.create(KEY, aLeadChangeOf({ name: 'Ada' }, { atMs: clock.ms }));
  await run();
  clock.ms += 1_000;
  await leads.merge(KEY, aLeadChangeOf({ name: 'Ada B.' }, { atMs: clock.ms }));
  await run();
  expect(world.typesAt(endpoint)).toEqual([`lead.created ${NOON}`]);
  clock.ms += 60_000;
  await run();
  expect(world.typesAt(endpoint)).toEqual([`lead.created ${NOON}`, `lead.updated ${NOON + 1}`]);
  expect(world.arrivals[1]?.message.data).toMatchObject({ lead: { data: { name: 'Ada B.' } } });
  const { erasing } = setUpErasing();
  await eraseLead({ ...erasing, leads: createDynamoLeadErasureRepository(clock), clock }, { orgId: ORG, ...KEY });
  await run();
  expect(world.typesAt(endpoint)).toEqual([
    `lead.created ${NOON}`,
    `lead.updated ${NOON + 1}`,
    `lead.erased ${NOON + 2}`,
  ]);
  expect(world.metrics.filter(([name]) => name === 'Deliveries_delivered')).toHaveLength(3);
});

test('410: disables the endpoint, and sends it nothing more', async () => {
  const world = dispatchWorld();
  const endpoints = { ...createDynamoEndpointReader(), ...createDynamoEndpointRepository() };
  const endpoint = anEndpoint({ eventTypes: ['lead.created', 'lead.updated'] });
  await endpoints.add(ORG, endpoint);
  world.respond = async () => ({ outcome: 'responded', status: 410, durationMs: 5 });
  const run = createRun(world, { endpoints });
  const leads = createDynamoLeadRepository();
  const key = { ...KEY, leadId: '0d9f4f0a-96b6-4f0c-8a55-3a1e0f1b7c22' };
  await leads.create(key, aLeadChangeOf({ name: 'Ada' }, { atMs: world.clock.ms }));
  await run();
  expect(await endpoints.list(ORG)).toMatchObject([{ id: endpoint.id, isEnabled: false }]);
  await leads.merge(key, aLeadChangeOf({ name: 'Ada B.' }, { atMs: world.clock.ms }));
  world.clock.ms += 60_000;
  await run();
  expect(world.typesAt(endpoint)).toEqual([`lead.created ${NOON}`]);
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
