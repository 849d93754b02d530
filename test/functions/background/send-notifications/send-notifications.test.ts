import { expect, test } from 'vitest';
import { createHandler } from '../../../../functions/background/send-notifications/handler.ts';
import { createDynamoLeadNoticesEraser } from '../../../../shared/notifications/aws/dynamo-lead-notices-eraser.ts';
import { SINGLES_PER_HOUR } from '../../../../shared/notifications/notice.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { MINUTE, NOON, notificationWorld } from '../../../support/notifications/notifications.ts';

useDynamo();

const HOUR = 60 * MINUTE;

test('sends a mail about a lead five minutes after its first submit, and only once', async () => {
  const world = notificationWorld();
  await world.confirmed();
  await world.lead({ name: 'Ada', phone: '+4930901820' });
  world.clock.ms += 5 * MINUTE - 1;
  await world.send();
  expect(world.mails).toEqual([]);
  world.clock.ms += 1;
  await world.send();
  await world.send();
  expect(world.mails).toMatchObject([{ subject: 'Neuer Lead', sender: 'Shop <GmbH>', language: 'de' }]);
  expect(world.mails[0]?.text).toContain('name: Ada\nphone: +4930901820\n');
});

test('a mail shows the lead as it is when the mail is sent', async () => {
  const world = notificationWorld();
  await world.confirmed();
  const lead = await world.lead({ name: 'Ada' });
  world.leads.set(lead.leadId, { ...lead, data: new Map([['name', '"Ada B."']]) });
  world.clock.ms += 5 * MINUTE;
  await world.send();
  expect(world.mails[0]?.text).toContain('name: Ada B.\n');
});

test('sends no mail about a lead to an address that is unconfirmed, unsubscribed, or confirmed after the first submit', async () => {
  const world = notificationWorld();
  await world.create({ address: 'unconfirmed@shop.example', mode: 'each_lead' });
  await world.send();
  world.mails.length = 0;
  const earlier = await world.lead();
  world.clock.ms += 1;
  await world.confirmed();
  await world.notifier.notifyLead(world.orgId, earlier);
  world.clock.ms += 5 * MINUTE;
  await world.send();
  expect(world.mails).toEqual([]);
  await world.lead();
  world.clock.ms += 5 * MINUTE;
  await world.send();
  expect(world.mails).toHaveLength(1);
  await world.lead();
  await world.follow(world.tokenIn(world.mails.splice(0)[0] ?? expect.unreachable()));
  world.clock.ms += 5 * MINUTE;
  await world.send();
  expect(world.mails).toEqual([]);
});

test('a digest at 08:00 in the time zone of the address lists the leads since the previous 08:00', async () => {
  const world = notificationWorld();
  await world.confirmed({ mode: 'daily_digest', timeZone: 'Asia/Tokyo', language: 'en' });
  await world.lead({ name: 'Ada' });
  world.clock.ms += HOUR;
  await world.lead({ name: 'Ben' });
  world.clock.ms = Date.parse('2026-03-02T22:59:59.999Z');
  await world.send();
  expect(world.mails).toEqual([]);
  world.clock.ms += 1;
  await world.send();
  expect(world.mails.map(({ subject }) => subject)).toEqual(['New leads: 2']);
  expect(world.mails[0]?.text).toMatch(/name: Ada\n.*2 Mar 2026, 21:00 \(Asia\/Tokyo\)[\s\S]*name: Ben\n/);
});

test('a digest shows 100 leads and counts the others', async () => {
  const world = notificationWorld();
  await world.confirmed({ mode: 'daily_digest', language: 'en' });
  for (let count = 0; count < 103; count++) {
    await world.lead({ number: count });
    world.clock.ms += 1;
  }
  world.clock.ms += 24 * HOUR;
  await world.send();
  expect(world.mails.map(({ subject }) => subject)).toEqual(['New leads: 103']);
  expect(world.mails[0]?.text.match(/^number: /gm)).toHaveLength(100);
  expect(world.mails[0]?.text).toContain('Further leads that are not listed: 3\n');
});

test('after 20 mails in an hour, one mail lists the other due leads; leads that become due later wait for the next hour', async () => {
  const world = notificationWorld();
  await world.confirmed({ mode: 'each_lead', language: 'en' });
  const leads = async (number: number) => {
    for (let count = 0; count < number; count++) await world.lead();
  };
  const subjects = async () => {
    await world.send();
    return world.mails.splice(0).map(({ subject }) => subject);
  };
  await leads(SINGLES_PER_HOUR + 3);
  world.clock.ms += 5 * MINUTE;
  expect(await subjects()).toEqual([...Array(SINGLES_PER_HOUR).fill('New lead'), 'New leads: 3']);
  await leads(2);
  world.clock.ms += 5 * MINUTE;
  expect(await subjects()).toEqual([]);
  world.clock.ms += 55 * MINUTE - 1;
  expect(await subjects()).toEqual([]);
  world.clock.ms += 1;
  expect(await subjects()).toEqual(['New lead', 'New lead']);
});

test('a mail omits leads that were erased or have expired', async () => {
  const world = notificationWorld();
  await world.confirmed();
  const { leadId } = await world.lead({ name: 'Ada' });
  await world.lead({ name: 'Ben' });
  world.leads.delete(leadId);
  world.clock.ms += 5 * MINUTE;
  await world.send();
  expect(world.mails.map(({ text }) => /name: (\w+)/.exec(text)?.[1])).toEqual(['Ben']);
});

test('the erasure of a lead removes its notices', async () => {
  const world = notificationWorld();
  const addressId = await world.confirmed();
  const lead = await world.lead();
  await world.lead();
  await createDynamoLeadNoticesEraser().erase({ orgId: world.orgId, funnelId: lead.funnelId, leadId: lead.leadId });
  expect(await world.sender.notices.list(addressId)).toMatchObject([{ kind: 'lead' }]);
});

test('if the mail service rejects a mail, later runs retry it, and give it up three days after it became due', async () => {
  const world = notificationWorld();
  const addressId = await world.confirmed();
  await world.lead();
  world.clock.ms += 5 * MINUTE;
  world.state.mailsFail = true;
  expect(await world.send()).toEqual(new Map([['failed', 1]]));
  expect(await world.send()).toEqual(new Map());
  world.clock.ms += MINUTE;
  world.state.mailsFail = false;
  await world.send();
  expect(world.mails).toHaveLength(1);
  await world.lead();
  world.clock.ms += 5 * MINUTE;
  world.state.mailsFail = true;
  await world.send();
  world.clock.ms += 72 * HOUR;
  expect(await world.send()).toEqual(new Map([['given_up', 1]]));
  expect(await world.sender.notices.list(addressId)).toEqual([]);
});

test('after a crash between a mail and the removal of its notice, the mail is sent a second time, but not a third time', async () => {
  const world = notificationWorld();
  await world.confirmed();
  await world.lead();
  world.clock.ms += 5 * MINUTE;
  const { notices } = world.sender;
  const down = () => Promise.reject(new Error('down'));
  const crashing: typeof notices = {
    ...notices,
    remove: (_, removed) => (removed.length > 0 ? down() : Promise.resolve()),
    release: down,
  };
  await world.send({ notices: crashing });
  expect(world.mails).toHaveLength(1);
  expect(await world.send()).toEqual(new Map());
  world.clock.ms += 2 * MINUTE;
  await world.send();
  await world.send();
  expect(world.mails).toHaveLength(2);
  expect(await notices.listDue(world.clock.ms + 24 * HOUR, 100)).toEqual([]);
});

test('a notice that is added while mails are sent is not lost', async () => {
  const world = notificationWorld();
  await world.confirmed();
  await world.lead();
  world.clock.ms += 5 * MINUTE;
  let isAdded = false;
  await world.send({
    send: async (message) => {
      if (!isAdded) await world.lead({ name: 'Ben' });
      isAdded = true;
      await world.sender.send(message);
    },
  });
  world.clock.ms += 5 * MINUTE;
  await world.send();
  expect(world.mails.map(({ text }) => /name: (\w+)/.exec(text)?.[1])).toEqual(['Ada', 'Ben']);
});

test('two concurrent runs together send each mail once', async () => {
  const world = notificationWorld();
  await world.confirmed();
  await world.lead();
  world.clock.ms += 5 * MINUTE;
  await Promise.all([world.send(), world.send()]);
  expect(world.mails).toHaveLength(1);
});

test('a mail about a paused endpoint does not wait for the digest, and shows the URL without its query', async () => {
  const world = notificationWorld();
  await world.confirmed({ mode: 'daily_digest', language: 'en' });
  await world.notifier.notifyPaused({
    orgId: world.orgId,
    endpointId: 'one',
    url: 'https://hooks.shop.example/crm?key=secret',
    failingSince: '2026-02-27T08:00:00.000Z',
    pausedAt: new Date(NOON).toISOString(),
  });
  await world.send();
  expect(world.mails).toMatchObject([{ subject: 'A webhook endpoint was paused' }]);
  expect(world.mails[0]?.text).toContain(
    'Endpoint: https://hooks.shop.example/crm\nFailing since: 27 Feb 2026, 09:00\n',
  );
});

test('if a mail was not sent, the run records the outcomes and then fails', async () => {
  const world = notificationWorld();
  await world.confirmed();
  await world.lead();
  world.clock.ms += 5 * MINUTE;
  world.state.mailsFail = true;
  await expect(createHandler(world.sender)()).rejects.toThrow('failed: 1');
  expect(world.metrics).toEqual([['Notifications_failed', 1]]);
});
