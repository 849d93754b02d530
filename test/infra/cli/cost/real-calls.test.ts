import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { backgroundFunctions, operations } from '../../../../functions/declarations.ts';
import {
  CALL_PROFILES,
  type CallProfile,
  IDLE_RUNS,
  PIPELINE,
  type TableCall,
} from '../../../../infra/cli/cost/call-profiles.ts';
import { type SeenCall, spyOnAws } from '../../../support/aws-spy.ts';
import { deployedCallers, startDeployedEnvironment } from '../../../support/deployed/environment.ts';
import { signatureOf, transcription } from '../../../support/training/voice-webhook.ts';
import { aForm } from '../../../support/uploads/upload-api.ts';

let world: Awaited<ReturnType<typeof startDeployedEnvironment>>;
let spy: Awaited<ReturnType<typeof spyOnAws>>;
let callers: Awaited<ReturnType<typeof deployedCallers>>;

beforeAll(async () => {
  world = await startDeployedEnvironment();
  spy = await spyOnAws();
  callers = await deployedCallers([...operations, ...backgroundFunctions].map(({ id }) => id));
}, 120_000);
afterAll(async () => {
  spy?.end();
  await world?.end();
}, 30_000);

const nameOf = ({ action, on, index }: TableCall) =>
  `dynamodb:${action} ${on}${index === undefined ? '' : `/${index}`}`;
/** The units of a call. DynamoDB bills a query without results as 4 KB, but the stand-in counts no units for it. */
const least = ({ action, reads = 0 }: TableCall, units: number) =>
  action === 'Query' ? Math.max(units, reads) : units;

/** Expects that the spy saw exactly the declared calls, with their units. */
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

/** Calls the function once to fill the caches, and a second time to compare its calls with the declaration. */
async function expectCalls(declared: CallProfile, request: () => Asked | Promise<Asked>): Promise<void> {
  const ask = async (asked: Asked) => {
    const { status, text } = await callers.call(declared.function, asked);
    expect([declared.function, status, status < 300 ? '' : text]).toEqual([declared.function, expect.any(Number), '']);
  };
  await ask(await request());
  const asked = await request();
  expectAsDeclared(await spy.callsOf(() => ask(asked)), declared);
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const here = () => ({ funnel: world.demo.funnel.id, org: world.demo.organizations.a.id });
const submitted = (body: object) => ({ path: { id: here().funnel }, body });

async function aHandle(data: object = { name: 'Ada Example', email: 'ada@shop.example', phone: '+4930901820' }) {
  const { body } = await callers.call('funnel/submit', submitted({ data }));
  const { data: handle } = body as { data: { id: string; update_token: string } };
  return { lead_id: handle.id, update_token: handle.update_token };
}

const answersOf = { data: { building: 'detached', interests: ['panels'] }, step_id: 'project' };

test('a submit that creates or updates a lead makes the declared calls', async () => {
  await expectCalls(CALL_PROFILES.leadCreated, () => submitted(answersOf));
  const handle = await aHandle();
  await expectCalls(CALL_PROFILES.leadUpdated, () => submitted({ ...handle, ...answersOf }));
});

test('sending a code by e-mail or SMS and checking it make the declared calls', async () => {
  // IPv4 addresses, because an IPv6 address needs one more write, for the limit of its network.
  const network = (at: number) => `198.51.100.${at}`;
  let at = 0;
  const sent = (channel: string) => async () => {
    const phone = `+493090182${10 + ++at}`;
    const handle = await aHandle({ name: 'Ada Example', email: `ada${at}@shop.example`, phone });
    return { ...submitted({ ...handle, channel }), ip: network(at) };
  };
  await expectCalls(CALL_PROFILES.mailCodeSent, sent('email'));
  await expectCalls(CALL_PROFILES.smsCodeSent, sent('sms'));
  await expectCalls(CALL_PROFILES.codeChecked, async () => {
    const asked = await sent('email')();
    await callers.call('funnel/mfa-send', asked);
    const mails = (await (await fetch(world.demo.mailbox)).json()) as { messages: { text: string }[] };
    const code = /[0-9]{6}/.exec(mails.messages.at(-1)?.text ?? '')?.[0];
    const { channel: _, ...handle } = asked.body as { channel: string };
    return { ...asked, body: { ...handle, code } };
  });
});

test('an upload, a prompt and a batch of events make the declared calls', async () => {
  await expectCalls(CALL_PROFILES.fileUploaded, () => ({
    form: aForm({
      fields: { organizationId: here().org, blockId: world.demo.funnel.uploadBlockId },
      file: { name: 'plan.pdf', type: 'application/pdf', content: Buffer.from('%PDF-1.7\n%%EOF\n') },
    }),
  }));
  await expectCalls(CALL_PROFILES.aiReplied, () => submitted({ prompt: 'How long does it take?' }));
  const anEvent = () => ({ eventId: randomUUID(), sessionId: 'one', timestamp: new Date().toISOString() });
  await expectCalls(CALL_PROFILES.batchIngested, () => submitted({ events: [anEvent(), anEvent()] }));
});

test('the analytics reads make the declared calls', async () => {
  const { funnel, org } = here();
  const asked = { path: { orgId: org, funnelId: funnel }, headers: bearer(world.demo.tokens.memberA) };
  for (const read of ['overviewRead', 'timeseriesRead', 'acquisitionRead'] as const)
    await expectCalls(CALL_PROFILES[read], () => asked);
});

test('creating a case and opening, reporting, analysing and reading a call make the declared calls', async () => {
  const { org } = here();
  const { caseId, personaIds, tokens, readyCallId, webhook } = world.demo;
  const texts = { description: 'Too dear', situation: 'Second', objective: 'Keep it', successCriteria: 'A date' };
  const body = { name: 'Price', ...texts, dos: [{ label: 'Names the next step' }] };
  await expectCalls(CALL_PROFILES.caseCreated, () => ({ path: { orgId: org }, headers: bearer(tokens.adminA), body }));
  const opened = { path: { orgId: org }, headers: bearer(tokens.memberA), body: { caseId, personaId: personaIds[0] } };
  await expectCalls(CALL_PROFILES.sessionOpened, () => opened);
  const calls = await world.openedCalls();
  expect(calls).toHaveLength(2);
  await expectCalls(CALL_PROFILES.callReported, () => {
    const body = JSON.stringify({
      ...transcription(calls.pop()?.conversationId ?? ''),
      event_timestamp: Math.floor(Date.now() / 1_000),
    });
    return { body, headers: signatureOf(body, { atMs: Date.now(), secret: webhook.secret }) };
  });
  const [call] = await world.openedCalls();
  expectAsDeclared(
    await spy.callsOf(() => callers.run('background/analyse-call', { orgId: org, callId: call?.callId })),
    CALL_PROFILES.callAnalysed,
  );
  const read = { path: { orgId: org, id: readyCallId }, headers: bearer(tokens.memberA) };
  await expectCalls(CALL_PROFILES.callRead, () => read);
});

test('copying a page of 12 blocks and 20 assets and removing a domain make the declared calls', async () => {
  const { org } = here();
  const { domainAssetIds, landingPageId, organizations, tokens } = world.demo;
  await expectCalls(CALL_PROFILES.pageCopied, () => ({
    path: { orgId: org, pageId: landingPageId },
    headers: { ...bearer(tokens.adminAB), 'idempotency-key': randomUUID() },
    body: { targetOrganizationId: organizations.b.id, copyAssets: true },
  }));
  const ids = [...domainAssetIds];
  await expectCalls(CALL_PROFILES.domainRemoved, () => ({
    path: { orgId: org, assetId: ids.pop() ?? '' },
    headers: bearer(tokens.adminA),
  }));
});

const SCHEDULED = backgroundFunctions.filter(({ trigger }) => 'everyMinutes' in trigger).map(({ id }) => id);

test('every scheduled function has declared calls for a run without work', () => {
  expect(Object.keys(IDLE_RUNS).sort()).toEqual([...SCHEDULED].sort());
});

test.each(SCHEDULED.filter((id) => id !== 'background/enforce-retention'))(
  'a run of %s without work makes the declared calls',
  async (id) => {
    await callers.run(id, {});
    expectAsDeclared(await spy.callsOf(() => callers.run(id, {})), IDLE_RUNS[id] ?? { tables: [] });
  },
);

// This test runs last, because it moves the clock ahead of the clocks of the stand-ins.
test('aggregation, minor compaction, sweep and major compaction of one funnel make the declared calls', async () => {
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
