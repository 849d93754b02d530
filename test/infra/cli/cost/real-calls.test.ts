import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { backgroundFunctions, operations } from '../../../../functions/declarations.ts';
import { intervalMinutes } from '../../../../functions/declare-background-function.ts';
import { NOTIFICATION_ADDRESS_ID } from '../../../../functions/example-ids.ts';
import { readNotificationSecret } from '../../../../functions/wiring/notifications.ts';
import {
  CALL_PROFILES,
  type CallProfile,
  DELIVERIES,
  IDLE_RUNS,
  NOTIFICATION_MAIL,
  PIPELINE,
  type TableCall,
} from '../../../../infra/cli/cost/call-profiles.ts';
import { webhookEnvironment } from '../../../../infra/local/runtime/environment.ts';
import { DEMO_IDS } from '../../../../infra/local/seed/demo-ids.ts';
import { createDynamoLeadOutbox } from '../../../../shared/leads/aws/dynamo-lead-outbox.ts';
import { createLinkToken } from '../../../../shared/notifications/link-token.ts';
import { type SeenCall, spyOnAws } from '../../../support/aws-spy.ts';
import { storedDelivery } from '../../../support/deliveries/stored-deliveries.ts';
import { deployedCallers, startDeployedEnvironment } from '../../../support/deployed/environment.ts';
import { exampleRequest } from '../../../support/example-request.ts';
import { startHttpServer } from '../../../support/http-server.ts';
import { signatureOf, transcription } from '../../../support/training/voice-webhook.ts';
import { aForm } from '../../../support/uploads/upload-api.ts';

let world: Awaited<ReturnType<typeof startDeployedEnvironment>>;
let spy: Awaited<ReturnType<typeof spyOnAws>>;
let callers: Awaited<ReturnType<typeof deployedCallers>>;
let receiver: Awaited<ReturnType<typeof startHttpServer>>;

beforeAll(async () => {
  world = await startDeployedEnvironment();
  spy = await spyOnAws();
  receiver = await startHttpServer((_request, response) => void response.writeHead(204).end());
  Object.assign(process.env, webhookEnvironment([receiver.url]));
  callers = await deployedCallers([...operations, ...backgroundFunctions].map(({ id }) => id));
}, 120_000);
afterAll(async () => {
  spy?.end();
  receiver?.close();
  await world?.end();
}, 30_000);

const DISPATCHER = 'background/dispatch-messages';

const nameOf = ({ action, on, index }: TableCall) =>
  `dynamodb:${action} ${on}${index === undefined ? '' : `/${index}`}`;
/** The units of a call. DynamoDB bills a query without results as 4 KB, but the stand-in counts no units for it. */
const least = ({ action, reads = 0 }: TableCall, units: number) =>
  action === 'Query' ? Math.max(units, reads) : units;

function expectAsDeclared(
  seen: readonly SeenCall[],
  { tables, objects = [], records = 0, invocations = 0 }: Omit<CallProfile, 'function'>,
): void {
  const others = [
    ...objects.map((object) => `s3:${object}`),
    ...Array.from({ length: records }, () => 'kinesis:PutRecord'),
    ...Array.from({ length: invocations }, () => 'lambda:Invoke'),
  ];
  const declared = [
    ...tables.map((call) => [nameOf(call), call.reads ?? call.writes, call.indexWrites ?? 0]),
    ...others.map((name) => [name, 0, 0]),
  ];
  const byName = new Map(tables.map((call) => [nameOf(call), call]));
  const counted = seen.map(({ call, units, indexWrites }) => {
    const known = byName.get(call);
    return [call, known === undefined ? units : least(known, units), indexWrites];
  });
  expect(counted.sort()).toEqual(declared.sort());
}

type Asked = Parameters<Awaited<ReturnType<typeof deployedCallers>>['call']>[1];

/** Runs a function once. */
type Execution = () => Promise<void>;

const execution =
  (id: string, asked: Asked): Execution =>
  async () => {
    const { status, text } = await callers.call(id, asked);
    expect([id, status, status < 300 ? '' : text]).toEqual([id, expect.any(Number), '']);
  };

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const submitted = (body: object) => ({ path: { id: world.demo.funnel.id }, body });

async function aHandle(data: object = { name: 'Ada Example', email: 'ada@shop.example', phone: '+4930901820' }) {
  const { body } = await callers.call('funnel/submit', submitted({ data }));
  const { data: handle } = body as { data: { id: string; update_token: string } };
  return { lead_id: handle.id, update_token: handle.update_token };
}

const ANSWERS = { data: { building: 'detached', interests: ['panels'] }, step_id: 'project' };

let codes = 0;
/** Returns a request that sends a code to a new lead. */
async function codeRequest(channel: 'email' | 'sms') {
  codes += 1;
  const phone = `+493090182${10 + codes}`;
  const handle = await aHandle({ name: 'Ada Example', email: `ada${codes}@shop.example`, phone });
  // An IPv4 address, because an IPv6 address needs one more write, for the limit of its network.
  return { ...submitted({ ...handle, channel }), ip: `198.51.100.${codes}`, handle };
}

async function checkOfSentCode(): Promise<Asked> {
  const { handle, ...asked } = await codeRequest('email');
  await callers.call('funnel/mfa-send', asked);
  const mails = (await (await fetch(world.demo.mailbox)).json()) as { messages: { text: string }[] };
  const code = /[0-9]{6}/.exec(mails.messages.at(-1)?.text ?? '')?.[0];
  return { ...asked, body: { ...handle, code } };
}

/** Opens a training session and returns its call. */
async function openedCall() {
  const { body } = await callers.call('training/open-session', exampleOf('training/open-session'));
  const { trainingCallId } = body as { trainingCallId: string };
  const call = (await world.openedCalls()).find(({ callId }) => callId === trainingCallId);
  if (call === undefined) throw new Error('open-session stored no call.');
  return call;
}

async function reportOf({ conversationId }: { conversationId: string }): Promise<Asked> {
  const occurredAt = { event_timestamp: Math.floor(Date.now() / 1_000) };
  const body = JSON.stringify({ ...transcription(conversationId), ...occurredAt });
  return { body, headers: signatureOf(body, { atMs: Date.now(), secret: world.demo.webhook.secret }) };
}

/** Returns the request of the operation's example. Adds the token of an admin, unless the operation is public. */
function exampleOf(id: string): Asked {
  const declared = operations.find((operation) => operation.id === id);
  if (declared === undefined) throw new Error(`There is no operation ${id}.`);
  const { headers, ...request } = exampleRequest(declared);
  return { ...request, headers: { ...headers, ...(declared.auth !== 'public' && bearer(world.demo.tokens.adminAB)) } };
}

async function requestToNewEndpoint(operation: string): Promise<Asked> {
  const { body } = await callers.call('webhooks/create-endpoint', exampleOf('webhooks/create-endpoint'));
  const path = { orgId: world.demo.organizations.a.id, endpointId: (body as { id: string }).id };
  return { ...exampleOf(`webhooks/${operation}`), path };
}

let addresses = 0;
/** Returns a request that adds another address. */
function addressRequest(): Asked {
  addresses += 1;
  const body = { address: `sales${addresses}@northlight.example`, mode: 'each_lead' };
  return { ...exampleOf('notifications/create-address'), body };
}

const anEvent = () => ({ eventId: randomUUID(), sessionId: 'one', timestamp: new Date().toISOString() });

/** Functions that prepare an execution, by profile. All other profiles use the example of their operation. */
const PREPARATIONS: Partial<Record<keyof typeof CALL_PROFILES, () => Promise<Execution>>> = {
  leadCreated: async () => execution('funnel/submit', submitted(ANSWERS)),
  leadUpdated: async () => {
    const handle = await aHandle();
    const outbox = createDynamoLeadOutbox();
    const key = { funnelId: world.demo.funnel.id, leadId: handle.lead_id };
    const created = await outbox.read(key);
    if (created === undefined || !(await outbox.clear(key, created))) throw new Error('The lead is not in the outbox.');
    return execution('funnel/submit', submitted({ ...handle, ...ANSWERS }));
  },
  mailCodeSent: async () => execution('funnel/mfa-send', await codeRequest('email')),
  smsCodeSent: async () => execution('funnel/mfa-send', await codeRequest('sms')),
  codeChecked: async () => execution('funnel/mfa-check', await checkOfSentCode()),
  fileUploaded: async () =>
    execution('funnel/upload', {
      form: aForm({
        fields: { organizationId: world.demo.organizations.a.id, blockId: world.demo.funnel.uploadBlockId },
        file: { name: 'plan.pdf', type: 'application/pdf', content: Buffer.from('%PDF-1.7\n%%EOF\n') },
      }),
    }),
  batchIngested: async () => execution('funnel/ingest-analytics', submitted({ events: [anEvent(), anEvent()] })),
  callReported: async () => execution('training/voice-webhook', await reportOf(await openedCall())),
  callAnalysed: async () => {
    const call = await openedCall();
    await callers.call('training/voice-webhook', await reportOf(call));
    const event = { orgId: world.demo.organizations.a.id, callId: call.callId };
    return async () => void (await callers.run('background/analyse-call', event));
  },
  pageCopied: async () => {
    const { headers, ...copy } = exampleOf('landing-pages/copy');
    return execution('landing-pages/copy', { ...copy, headers: { ...headers, 'idempotency-key': randomUUID() } });
  },
  domainRemoved: async () => {
    const path = { orgId: world.demo.organizations.a.id, assetId: domains.pop() ?? '' };
    return execution('domains/delete', { ...exampleOf('domains/delete'), path });
  },
  // Uses a new address, because each mailbox gets at most three confirmation mails per day.
  addressCreated: async () => execution('notifications/create-address', addressRequest()),
  // Deletes a new address, because a second deletion of an address responds with 404.
  addressDeleted: async () => {
    const { body } = await callers.call('notifications/create-address', addressRequest());
    const path = { orgId: world.demo.organizations.a.id, addressId: (body as { id: string }).id };
    return execution('notifications/delete-address', { ...exampleOf('notifications/delete-address'), path });
  },
  linkFollowed: async () => {
    const secret = await readNotificationSecret();
    const ids = { orgId: world.demo.organizations.a.id, addressId: NOTIFICATION_ADDRESS_ID };
    const token = createLinkToken(secret, { ...ids, purpose: 'unsubscribe' }, Date.now());
    return execution('notifications/follow-link', { path: { token } });
  },
  endpointDeleted: async () => execution('webhooks/delete-endpoint', await requestToNewEndpoint('delete-endpoint')),
  // Uses a new endpoint for each execution, because a second rotation within a minute writes nothing.
  secretRotated: async () => execution('webhooks/rotate-secret', await requestToNewEndpoint('rotate-secret')),
  messageRedelivered: async () => {
    const { path, ...request } = await requestToNewEndpoint('redeliver');
    const ids = path as { orgId: string; endpointId: string };
    const { messageId } = await storedDelivery({ ...ids }, { firstAttemptAt: new Date().toISOString() });
    return execution('webhooks/redeliver', { ...request, path: { ...ids, messageId } });
  },
  redeliveryStarted: async () => execution('webhooks/redeliver-since', await requestToNewEndpoint('redeliver-since')),
};
const domains: string[] = [...DEMO_IDS.domainAssets];

// This test runs first, because the dispatcher would also send the messages of other tests.
test('a message to a webhook endpoint, and a run of the dispatcher without work, make the declared AWS calls', async () => {
  const path = { orgId: world.demo.organizations.a.id, endpointId: DEMO_IDS.webhookEndpoints[0] };
  const body = { url: `${receiver.url}/hook` };
  await execution('webhooks/update-endpoint', { ...exampleOf('webhooks/update-endpoint'), path, body })();
  const run = () => callers.run(DISPATCHER, {});
  const idle = IDLE_RUNS[DISPATCHER]?.tables ?? [];
  await aHandle();
  await run();
  await aHandle();
  const { changeDispatched, laneRaised, messageSent, endpointSettled } = DELIVERIES;
  const sent = [...changeDispatched.tables, ...laneRaised.tables, ...messageSent.tables];
  expectAsDeclared(await spy.callsOf(run), { tables: [...idle, ...sent] });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 121_000 });
  expectAsDeclared(await spy.callsOf(run), { tables: [...idle, ...endpointSettled.tables] });
  expectAsDeclared(await spy.callsOf(run), { tables: idle });
  vi.useRealTimers();
});

test('a mail about a lead to a notification address makes the declared AWS calls', async () => {
  const orgId = world.demo.organizations.a.id;
  const { body } = await callers.call('notifications/create-address', addressRequest());
  const { id: addressId } = body as { id: string };
  const { noticeStored, mailSent } = NOTIFICATION_MAIL;
  const send = () => callers.run(mailSent.function, {});
  await send();
  const ids = { orgId, addressId };
  const token = createLinkToken(await readNotificationSecret(), { ...ids, purpose: 'confirm' }, Date.now());
  await callers.call('notifications/follow-link', { path: { token } });
  await aHandle();
  const dispatched = await spy.callsOf(() => callers.run(noticeStored.function, {}));
  // Omits the read of the addresses (GetItem), because `changeDispatched` declares it.
  const written = dispatched.filter(({ call }) => /(?<!GetItem) notifications$/.test(call));
  expectAsDeclared(written, noticeStored);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  const idle = IDLE_RUNS[mailSent.function]?.tables ?? [];
  expectAsDeclared(await spy.callsOf(send), { tables: [...idle, ...mailSent.tables] });
  vi.useRealTimers();
});

test.each(
  Object.entries(CALL_PROFILES).map(([name, declared]: [string, CallProfile]) => ({
    name,
    declared,
    id: declared.function,
  })),
)('$id makes the AWS calls that the profile $name declares', async ({ name, declared, id }) => {
  const prepare = PREPARATIONS[name as keyof typeof CALL_PROFILES] ?? (async () => execution(id, exampleOf(id)));
  // The first execution fills the caches.
  await (await prepare())();
  expectAsDeclared(await spy.callsOf(await prepare()), declared);
});

const SCHEDULED = backgroundFunctions.filter((declared) => intervalMinutes(declared) !== undefined).map(({ id }) => id);
/** This function invokes the dispatcher repeatedly. It is not run here, because it calls no table and no bucket. */
const REPEATING = 'background/run-dispatcher';

test('every scheduled function has declared AWS calls for a run without work', () => {
  expect(Object.keys(IDLE_RUNS).sort()).toEqual([...SCHEDULED].sort());
});

test.each(SCHEDULED.filter((id) => !['background/enforce-retention', DISPATCHER, REPEATING].includes(id)))(
  'a run of %s without work makes the declared AWS calls',
  async (id) => {
    await callers.run(id, {});
    expectAsDeclared(await spy.callsOf(() => callers.run(id, {})), IDLE_RUNS[id] ?? { tables: [] });
  },
);

// This test runs last, because it moves the clock ahead of the clocks of the stand-ins.
test('aggregation, minor compaction, sweep and major compaction of one funnel make the declared AWS calls', async () => {
  const events = await world.streamed();
  expect(events.Records.length).toBeGreaterThan(0);
  const expectRun = async (declared: CallProfile, event: unknown = {}) => {
    const { tables = [], objects = [] } = IDLE_RUNS[declared.function] ?? {};
    const seen = await spy.callsOf(() => callers.run(declared.function, event));
    const all = { tables: [...tables, ...declared.tables], objects: [...objects, ...(declared.objects ?? [])] };
    expectAsDeclared(seen, all);
  };
  await expectRun(PIPELINE.funnelAggregated, events);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 });
  await expectRun(PIPELINE.funnelCompacted);
  await expectRun(PIPELINE.manifestRead);
  await expectRun(PIPELINE.funnelSwept);
  vi.setSystemTime(Date.now() + 2 * 86_400_000);
  await expectRun(PIPELINE.baseRewritten);
  vi.useRealTimers();
});
