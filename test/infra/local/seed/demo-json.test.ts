import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { demoVersion } from '../../../../infra/local/seed/demo-funnel.ts';
import { demoJson } from '../../../../infra/local/seed/demo-json.ts';
import { demoTokens, PEOPLE } from '../../../../infra/local/seed/people.ts';
import { FIELD_TYPES } from '../../../../shared/funnels/funnel.ts';

const PLACE = {
  baseUrl: 'http://127.0.0.1:3000',
  pagesUrl: 'http://127.0.0.1:3001',
  voiceWebhookSecret: 'a secret',
  mailbox: 'http://127.0.0.1:8005/store',
  webhookReceiverUrl: 'http://127.0.0.1:3002',
  endpoints: { dynamodb: 'http://127.0.0.1:8001', s3: 'http://127.0.0.1:8002', kinesis: 'http://127.0.0.1:8003' },
  region: 'eu-central-1',
  bucket: 'bucket',
  stream: 'stream',
  tables: {
    directory: 'd',
    leads: 'l',
    training: 't',
    analytics: 'a',
    uploads: 'u',
    limits: 'i',
    webhooks: 'w',
    deliveries: 'v',
    notifications: 'n',
  },
};
const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[57][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const TEXT = expect.any(String);

/** Returns tokens that consist of subject and lifetime, without a signature. */
const tokens = () => demoTokens({ sign: async (subject, options) => `${subject} ${options?.expiresInSeconds}` });

test('demo.json has exactly the expected properties', async () => {
  expect(demoJson(PLACE, await tokens())).toEqual({
    baseUrl: 'http://127.0.0.1:3000',
    pages: {
      funnel: 'http://127.0.0.1:3001/',
      numbers: 'http://127.0.0.1:3001/numbers',
      api: 'http://127.0.0.1:3001/api',
    },
    organizations: {
      a: { id: UUID, name: TEXT, timezone: 'Europe/Berlin' },
      b: { id: UUID, name: TEXT, timezone: 'UTC' },
    },
    tokens: {
      ownerA: 'owner-a 28800',
      adminA: 'admin-a 28800',
      memberA: 'member-a 28800',
      secondMemberA: 'second-member-a 28800',
      adminAB: 'admin-ab 28800',
      adminB: 'admin-b 28800',
      outsider: 'outsider 28800',
      expired: 'member-a -3600',
    },
    funnel: {
      id: UUID,
      versionId: UUID,
      uploadBlockId: UUID,
      fields: expect.arrayContaining([{ id: 'email', type: 'email', required: true, stepId: 'contact' }]),
    },
    emptyFunnel: { id: UUID },
    caseId: UUID,
    archivedCaseId: UUID,
    personaIds: [UUID, UUID],
    readyCallId: UUID,
    landingPageId: UUID,
    domainAssetIds: [UUID, UUID, UUID],
    webhookEndpointIds: [UUID, UUID],
    webhook: { url: 'http://127.0.0.1:3000/api/v2/webhooks/voice', secret: 'a secret' },
    mailbox: 'http://127.0.0.1:8005/store',
    webhookReceiver: {
      page: 'http://127.0.0.1:3002/',
      hook: 'http://127.0.0.1:3002/hook',
      deliveries: 'http://127.0.0.1:3002/deliveries',
    },
    aws: {
      dynamodb: 'http://127.0.0.1:8001',
      s3: 'http://127.0.0.1:8002',
      kinesis: 'http://127.0.0.1:8003',
      region: 'eu-central-1',
      bucket: 'bucket',
      stream: 'stream',
      tables: {
        directory: 'd',
        leads: 'l',
        training: 't',
        analytics: 'a',
        uploads: 'u',
        limits: 'i',
        webhooks: 'w',
        deliveries: 'v',
        notifications: 'n',
      },
    },
  });
});

test('the demo funnel has fields of every type; only the e-mail address and the phone number are verifiable', () => {
  const { fields } = demoVersion();
  expect(new Set(fields.map(({ type }) => type))).toEqual(new Set(FIELD_TYPES));
  expect(fields.filter(({ verifiable }) => verifiable).map(({ type }) => type)).toEqual(['email', 'phone']);
});

test('adminAB is an admin of both organizations, and outsider is a member of no organization', () => {
  expect(PEOPLE.adminAB.memberships.map(({ organization, role }) => `${organization} ${role}`)).toEqual([
    'a admin',
    'b admin',
  ]);
  expect(PEOPLE.outsider.memberships).toEqual([]);
});

test('the example page shows each field, except JSON fields, in its step, and marks required fields (except interests)', () => {
  const page = readFileSync(
    new URL('../../../../infra/local/example-page/browser/funnel.html', import.meta.url),
    'utf8',
  );
  const asked = page
    .split('data-funnel-step="')
    .slice(1)
    .flatMap((part) => {
      const stepId = part.slice(0, part.indexOf('"'));
      const form = part.slice(0, part.indexOf('</form>'));
      const ids = new Set([...form.matchAll(/ name="(\w+)/g)].map(([, id = '']) => id));
      // HTML cannot express that at least one checkbox of a group is required.
      const isRequired = (id: string) =>
        id === 'interests' || new RegExp(`<[^>]* name="${id}"[^>]* required`).test(form);
      return [...ids].map((id) => ({ id, stepId, required: isRequired(id) }));
    });
  const declared = demoVersion()
    .fields.filter(({ type }) => type !== 'json')
    .map(({ id, stepId, required }) => ({ id, stepId, required }));
  const byId = (a: { id: string | undefined }, b: { id: string | undefined }) => `${a.id}`.localeCompare(`${b.id}`);
  expect(asked.sort(byId)).toEqual(declared.sort(byId));
});
