import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createHandler } from '../../../../functions/background/dispatch-messages/handler.ts';
import { createDynamoCallDeliveriesEraser } from '../../../../shared/deliveries/aws/dynamo-deliveries-erasers.ts';
import { createDynamoDeliveryHistory } from '../../../../shared/deliveries/aws/dynamo-delivery-history.ts';
import { createDynamoEndpointStateRepository } from '../../../../shared/deliveries/aws/dynamo-endpoint-state-repository.ts';
import { createDynamoLaneRepository } from '../../../../shared/deliveries/aws/dynamo-lane-repository.ts';
import { createCallEvents } from '../../../../shared/deliveries/call-events.ts';
import { createDomainEvents } from '../../../../shared/deliveries/domain-events.ts';
import { createLeadEvents } from '../../../../shared/deliveries/lead-events.ts';
import type { DispatchPorts } from '../../../../shared/deliveries/ports.ts';
import { redeliverSince } from '../../../../shared/deliveries/redeliver.ts';
import { createDynamoDomainOutbox } from '../../../../shared/domains/aws/dynamo-domain-outbox.ts';
import { createDynamoDomainRepository } from '../../../../shared/domains/aws/dynamo-domain-repository.ts';
import { createDynamoLeadErasureRepository } from '../../../../shared/leads/aws/dynamo-lead-erasure-repository.ts';
import { createDynamoLeadOutbox } from '../../../../shared/leads/aws/dynamo-lead-outbox.ts';
import { createDynamoLeadRepository } from '../../../../shared/leads/aws/dynamo-lead-repository.ts';
import { eraseLead } from '../../../../shared/privacy/erase-lead.ts';
import { createDynamoCallErasureRepository } from '../../../../shared/training/aws/dynamo-call-erasure-repository.ts';
import { createDynamoCallOutbox } from '../../../../shared/training/aws/dynamo-call-outbox.ts';
import { createDynamoCallRepository } from '../../../../shared/training/aws/dynamo-call-repository.ts';
import { createDynamoEndpointReader } from '../../../../shared/webhooks/aws/dynamo-endpoint-reader.ts';
import { createDynamoEndpointRepository } from '../../../../shared/webhooks/aws/dynamo-endpoint-repository.ts';
import { dispatchWorld, ORG } from '../../../support/deliveries/dispatch-world.ts';
import { storedDomain } from '../../../support/domains/domains.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aLeadChangeOf } from '../../../support/leads/stored-leads.ts';
import { setUpErasing } from '../../../support/privacy/erasing-leads.ts';
import { aConversation, anAnalysis, aScore } from '../../../support/training/calls.ts';
import { storedCall, USER } from '../../../support/training/stored-calls.ts';
import { anEndpoint, isoAt, NOON } from '../../../support/webhooks/endpoints.ts';

useDynamo();

const KEY = { funnelId: ORG, leadId: '5605f1b8-1344-4d52-a453-f9827ca2230f' };

/** Creates the function. By default, the webhook endpoints are in memory. All other stores are in DynamoDB. */
const createRun = (world: ReturnType<typeof dispatchWorld>, ports: Partial<DispatchPorts> = {}) =>
  createHandler({
    ...world.portsOf(),
    sources: {
      lead: createLeadEvents({
        outbox: createDynamoLeadOutbox(world.clock),
        funnels: { find: async () => ({ orgId: ORG }) },
        notifyLead: async (_orgId, { leadId }) => void world.notified.push(leadId),
        clock: world.clock,
      }),
      call: createCallEvents(createDynamoCallOutbox()),
      domain: createDomainEvents(createDynamoDomainOutbox()),
    },
    lanes: createDynamoLaneRepository(),
    endpointStates: createDynamoEndpointStateRepository(),
    history: createDynamoDeliveryHistory(),
    ...ports,
  });

test('sends a message about the creation, a message about the update and a message about the erasure of a lead', async () => {
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
  expect(world.notified).toEqual([KEY.leadId]);
});

test('sends messages about a call or domain only to endpoints of its organization, and none about an erased call', async () => {
  const world = dispatchWorld();
  const endpoints = { ...createDynamoEndpointReader(), ...createDynamoEndpointRepository() };
  const [orgId, otherOrgId] = [randomUUID(), randomUUID()];
  const eventTypes = ['call.scored' as const, 'domain.active' as const];
  const [own, other] = [anEndpoint({ eventTypes }), anEndpoint({ eventTypes })];
  await endpoints.add(orgId, own);
  await endpoints.add(otherOrgId, other);
  const calls = createDynamoCallRepository(world.clock);
  const scored = async () => {
    const call = await storedCall({ orgId });
    await calls.moveToProcessing(call, aConversation(), NOON);
    const result = { analysis: anAnalysis(), score: aScore(), recordingKey: null, dueAtMs: undefined };
    expect(await calls.moveToReady(call, result)).toBe('applied');
    return call;
  };
  const { callId } = await scored();
  const verified = await storedDomain({ orgId, status: 'verified' });
  const changes = { status: 'active' as const, dueAt: null, activatedAt: isoAt(world.clock.ms) };
  await createDynamoDomainRepository().update(verified, changes);
  const run = createRun(world, { endpoints });
  await run();
  await run();
  expect(world.arrivals.map(({ url }) => url)).toEqual([own.url, own.url]);
  const data = Object.fromEntries(world.arrivals.map(({ message }) => [message.type, message.data]));
  expect(data).toMatchObject({
    'call.scored': { orgId, callId, call: { userId: USER, score: { total: aScore().total } } },
    'domain.active': { orgId, domainId: verified.id, domain: { hostname: verified.hostname } },
  });

  world.respond = async () => ({ outcome: 'responded', status: 500, durationMs: 5 });
  const erased = await scored();
  await run();
  expect(world.arrivals).toHaveLength(3);
  const lane = { subject: { kind: 'call' as const, orgId, callId: erased.callId }, endpointId: own.id };
  const lanes = createDynamoLaneRepository();
  expect((await lanes.find(lane))?.inFlight?.type).toBe('call.scored');
  await createDynamoCallErasureRepository().deleteCall(erased);
  await createDynamoCallDeliveriesEraser(world.clock).erase(erased);
  expect((await lanes.find(lane))?.inFlight).toBeUndefined();
  world.clock.ms += 60_000;
  await run();
  expect([world.arrivals.length, await lanes.find(lane)]).toEqual([3, undefined]);
});

test('a run sends no message at or after the time `endMs` in its event', async () => {
  const world = dispatchWorld();
  const endpoint = world.endpoint();
  const run = createRun(world);
  const key = { ...KEY, leadId: randomUUID() };
  await createDynamoLeadRepository().create(key, aLeadChangeOf({ name: 'Ada' }, { atMs: world.clock.ms }));
  await run({ endMs: world.clock.ms });
  expect(world.arrivals).toEqual([]);
  await run({ endMs: world.clock.ms + 1_000 });
  expect(world.typesAt(endpoint)).toHaveLength(1);
});

test('410: the endpoint is disabled, and gets no more messages', async () => {
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

test('a redelivery of all messages since a given time repeats a delivered message, and the history lists both messages', async () => {
  const world = dispatchWorld();
  const endpoint = world.endpoint();
  const run = createRun(world);
  const key = { ...KEY, leadId: '7c1f0f1a-2b0e-4c38-9b0b-0d0a9b7f0c11' };
  await createDynamoLeadRepository().create(key, aLeadChangeOf({ name: 'Ada' }, { atMs: world.clock.ms }));
  await run();
  world.clock.ms += 1_000;
  const ids = { orgId: ORG, endpointId: endpoint.id };
  const ports = { endpoints: { find: async () => endpoint }, endpointStates: createDynamoEndpointStateRepository() };
  await redeliverSince({ ...ports, clock: world.clock }, ids, { since: isoAt(NOON), includeDelivered: true });
  world.clock.ms += 1_000;
  await run();
  expect(world.typesAt(endpoint)).toEqual([`lead.created ${NOON}`, `lead.created ${NOON}`]);
  const page = { before: undefined, nowMs: world.clock.ms, limit: 9 };
  const { deliveries } = await createDynamoDeliveryHistory().list(endpoint.id, page);
  expect(deliveries.map(({ messageId, status }) => [messageId, status])).toEqual(
    world.arrivals.map(({ id }) => [id, 'delivered']).reverse(),
  );
});

test('if the table cannot be read for one of two leads, a run sends the message about the other lead, then fails', async () => {
  const world = dispatchWorld();
  world.endpoint();
  world.create();
  world.create();
  let failuresLeft = 1;
  const run = createHandler(
    world.portsOf((effect, work) =>
      effect === 'lanes.find' && failuresLeft-- > 0 ? Promise.reject(new Error('down')) : work(),
    ),
  );
  await expect(run()).rejects.toThrow('could not be processed: 1.');
  expect(world.metrics).toContainEqual(['Deliveries_delivered', 1]);
});
