import { randomUUID } from 'node:crypto';
import { backgroundFunctions } from '../../../../functions/declarations.ts';
import { toKinesisEvent } from '../../../../infra/local/event-source/kinesis-event.ts';
import { createKinesisSource } from '../../../../infra/local/event-source/kinesis-source.ts';
import { DEMO_IDS } from '../../../../infra/local/seed/demo-ids.ts';
import { requestOf } from './requests.ts';
import type { World } from './world.ts';

const scheduledEvent = () => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'Scheduled Event',
  source: 'aws.events',
  account: '000000000000',
  time: new Date().toISOString(),
  region: 'eu-central-1',
  resources: ['arn:aws:events:eu-central-1:000000000000:rule/a-rule'],
  detail: {},
});

/** Sends a request to ingest-analytics and returns a Kinesis event with the records of the stream. */
async function streamEvent(world: World) {
  await world.run('funnel/ingest-analytics', (await requestOf('funnel/ingest-analytics', world)).event);
  const source = createKinesisSource();
  const [shard = ''] = await source.listShards();
  const records = await source.read(shard, undefined, 100);
  return toKinesisEvent(shard, records);
}

/** Returns an event that matches the function's trigger. */
export async function eventFor(world: World, id: string): Promise<unknown> {
  const trigger = backgroundFunctions.find((one) => one.id === id)?.trigger ?? {};
  if ('stream' in trigger) return streamEvent(world);
  if ('everyMinutes' in trigger) return scheduledEvent();
  if ('everySeconds' in trigger) return { endMs: Date.now() + 60_000 };
  return INVOCATIONS[id];
}

const INVOCATIONS: Record<string, object> = {
  'background/analyse-call': { orgId: DEMO_IDS.organizationA, callId: DEMO_IDS.readyCall },
  'background/remove-domain': { orgId: DEMO_IDS.organizationA, domainId: DEMO_IDS.domainAssets[1] },
};
