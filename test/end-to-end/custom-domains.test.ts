import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { domainKey } from '../../shared/domains/aws/keys.ts';
import { undefinedIfConditionFailed } from '../../shared/platform/aws/conditional-write.ts';
import { adminOf, npmAdmin } from '../support/cli/npm-admin.ts';
import { type LocalRuntime, startLocalRuntime } from '../support/local/runtime.ts';
import { receiveMessages } from '../support/local/webhook-messages.ts';

const STEP_MS = 1_500;
const HOSTNAME = 'neu.shop.example';
const PATIENCE = { timeout: 60_000, interval: 200 };

const Shown = z.object({ id: z.guid(), hostname: z.string(), status: z.string(), verificationToken: z.string() });
const EdgeFile = z.object({
  tenants: z.array(z.object({ domain: z.string(), enabled: z.boolean() })),
  certificates: z.array(z.object({ domain: z.string() })),
});

let state: string;
let runtime: LocalRuntime;
const start = async () => {
  runtime = await startLocalRuntime({ state, args: ['--empty'], env: { LOCAL_EDGE_STEP_MS: `${STEP_MS}` } });
};
beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'tributary-domains-'));
  await start();
}, 150_000);
afterAll(async () => {
  await runtime?.kill();
  await rm(state, { recursive: true, force: true });
}, 30_000);

const jsonIn = async (file: string): Promise<unknown> => JSON.parse(await readFile(join(state, file), 'utf8'));

/**
 * Returns the test's domain as `domains list` shows it. After a restart of the service, only `npmAdmin` works, because
 * `adminOf` keeps the addresses of the first start.
 */
const shownDomain = async (admin: typeof adminOf | typeof npmAdmin): Promise<z.infer<typeof Shown> | undefined> => {
  const { out } = await admin(runtime, 'domains', 'list', runtime.demo.organizations.a.id, '--json');
  const { domains } = z.object({ domains: z.array(Shown) }).parse(JSON.parse(out));
  return domains.find(({ hostname }) => hostname === HOSTNAME);
};

/** Returns the tenants and certificates of the hostname in the CloudFront stand-in. */
const atTheEdge = async () => {
  // The file does not exist before the first tenant.
  const file = await jsonIn('edge/edge.json').catch(() => ({ tenants: [], certificates: [] }));
  const { tenants, certificates } = EdgeFile.parse(file);
  return {
    tenants: tenants.filter(({ domain }) => domain === HOSTNAME),
    certificates: certificates.filter(({ domain }) => domain === HOSTNAME),
  };
};

async function putTxt(name: string, value: string): Promise<void> {
  const { DNS_RECORDS_URL: url } = z.object({ DNS_RECORDS_URL: z.url() }).parse(await jsonIn('environment.json'));
  const body = JSON.stringify({ name, type: 'TXT', value });
  const answer = await fetch(url, { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body });
  expect(answer.status).toBe(200);
}

const Deployed = z.object({ AWS_ENDPOINT_URL_DYNAMODB: z.url(), AWS_REGION: z.string(), DIRECTORY_TABLE: z.string() });

/** Makes the domain due now. Otherwise, an interrupted step is repeated only after a minute (`STEP_HOLD_MS`). */
async function minuteLater(orgId: string, domainId: string): Promise<void> {
  const {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: region,
    ...names
  } = Deployed.parse(await jsonIn('environment.json'));
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const dynamo = new DynamoDBClient({ endpoint, region, credentials });
  const { pk, sk } = domainKey(orgId, domainId);
  const update = new UpdateItemCommand({
    TableName: names.DIRECTORY_TABLE,
    Key: { pk: { S: pk }, sk: { S: sk } },
    UpdateExpression: 'SET dueAt = :now',
    // On a busy machine, the sweeper may already have finished the removal.
    ConditionExpression: 'attribute_exists(dueAt)',
    ExpressionAttributeValues: { ':now': { S: new Date().toISOString() } },
  });
  await undefinedIfConditionFailed(dynamo.send(update));
  dynamo.destroy();
}

test('a hostname is verified, provisioned and announced; a removal that a crash interrupts completes after a restart', async () => {
  const org = runtime.demo.organizations.a.id;
  const messages = await receiveMessages(runtime, 'domain.active');

  expect((await adminOf(runtime, 'domains', 'add', org, HOSTNAME)).code).toBe(0);
  const added = await shownDomain(adminOf);
  if (added === undefined) throw new Error('The domain was not added.');
  expect(await atTheEdge()).toEqual({ tenants: [], certificates: [] });
  await putTxt(`_tributary.${HOSTNAME}`, `tributary-verify=${added.verificationToken}`);
  const verified = await adminOf(runtime, 'domains', 'verify', org, added.id);
  expect(verified).toMatchObject({ code: 0, out: expect.stringContaining('is verified') });
  await vi.waitFor(async () => expect(await shownDomain(adminOf)).toMatchObject({ status: 'active' }), PATIENCE);
  expect(await atTheEdge()).toMatchObject({ tenants: [{ enabled: true }], certificates: [{}] });

  // Ignores the messages about the domains of the demo, which become active at this time, too.
  const ofDomain = async () => (await messages()).filter(({ data }) => data.domainId === added.id);
  await vi.waitFor(async () => expect(await ofDomain()).toHaveLength(1), PATIENCE);
  expect((await ofDomain())[0]).toMatchObject({
    type: 'domain.active',
    data: { orgId: org, domain: { hostname: HOSTNAME, status: 'active' } },
  });

  // Does not wait for the command. On a busy machine, the removal may delete the disabled tenant before the command
  // ends, and the next check needs this tenant.
  const removing = npmAdmin(runtime, 'domains', 'remove', org, added.id, '--yes');
  await vi.waitFor(async () => expect(await atTheEdge()).toMatchObject({ tenants: [{ enabled: false }] }), {
    ...PATIENCE,
    interval: 20,
  });
  await runtime.kill();
  expect(await atTheEdge()).toMatchObject({ tenants: [{ enabled: false }], certificates: [{}] });
  await removing;

  await start();
  await minuteLater(org, added.id);
  await vi.waitFor(async () => expect(await shownDomain(npmAdmin)).toBeUndefined(), PATIENCE);
  expect(await atTheEdge()).toEqual({ tenants: [], certificates: [] });
}, 240_000);
