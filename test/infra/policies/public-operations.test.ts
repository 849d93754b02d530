import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { operations } from '../../../functions/declarations.ts';
import { evaluatePolicy } from '../../../infra/policies/evaluate-policy.ts';
import { synthesizePolicies } from '../../../infra/policies/synthesize-policies.ts';
import { ASSETS_PREFIX } from '../../../shared/landing-pages/landing-page.ts';
import { storagePathOf } from '../../../shared/uploads/upload.ts';

const PUBLIC = operations.filter(({ auth }) => auth === 'public').map(({ id }) => id);
/** Functions that parse input of visitors. An attacker who exploits a parser gets the permissions of the function. */
const EXPOSED = [...PUBLIC, 'background/sweep-uploads'];

const table = (variable: string) => `arn:aws:dynamodb:eu-central-1:111122223333:table/\${${variable}}`;
const object = (key: string) => `arn:aws:s3:::\${UPLOADS_BUCKET}/${key}`;

const TABLE_WRITES = [
  ...['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems'],
  ...['PartiQLInsert', 'PartiQLUpdate', 'PartiQLDelete', 'UpdateTable', 'DeleteTable'],
].map((name) => `dynamodb:${name}`);
const OBJECT_CHANGES = ['s3:PutObject', 's3:DeleteObject', 's3:DeleteObjectVersion', 's3:PutObjectAcl'];

describe.each(['dev', 'prod'])('in the stage %s', (stage) => {
  const policies = synthesizePolicies(stage);
  const allowedActions = (id: string, actions: readonly string[], resource: string) =>
    actions.filter((action) => evaluatePolicy(policies[id] ?? [], { action, resource }).isAllowed);

  test('every public operation has a policy', () => {
    expect(PUBLIC).toEqual(expect.arrayContaining(['funnel/upload', 'funnel/submit', 'training/voice-webhook']));
    expect(PUBLIC.filter((id) => policies[id] === undefined)).toEqual([]);
  });

  test.each(EXPOSED)('%s cannot write memberships, organizations, funnels, pages or hostnames', (id) => {
    expect(allowedActions(id, TABLE_WRITES, table('DIRECTORY_TABLE'))).toEqual([]);
  });

  test.each(EXPOSED)('%s cannot read or change files of landing pages', (id) => {
    const asset = `${ASSETS_PREFIX}${randomUUID()}/${randomUUID()}/${randomUUID()}.png`;
    expect(allowedActions(id, [...OBJECT_CHANGES, 's3:GetObject'], object(asset))).toEqual([]);
  });

  test('of the functions that parse visitor input, only follow-link can update notification addresses; none can read them', () => {
    const notifications = table('NOTIFICATIONS_TABLE');
    const allowed = (id: string, key: string) =>
      [...TABLE_WRITES, 'dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:Scan'].filter((action) => {
        const context = { 'dynamodb:leadingkeys': key };
        return evaluatePolicy(policies[id] ?? [], { action, resource: notifications, context }).isAllowed;
      });
    expect(EXPOSED.filter((id) => allowed(id, 'org#one').length > 0)).toEqual(['notifications/follow-link']);
    expect(allowed('notifications/follow-link', 'org#one')).toEqual(['dynamodb:UpdateItem']);
    expect(allowed('notifications/follow-link', 'address#one')).toEqual([]);
  });

  test('of the functions that parse visitor input, only upload, submit and sweep-uploads can write upload records', () => {
    const writers = EXPOSED.filter((id) => allowedActions(id, TABLE_WRITES, table('UPLOADS_TABLE')).length > 0);
    expect(writers.sort()).toEqual(['background/sweep-uploads', 'funnel/submit', 'funnel/upload']);
  });

  test('upload can only put files; submit cannot delete files, and cannot write to the folder incoming', () => {
    const file = object(storagePathOf(randomUUID(), randomUUID(), randomUUID(), 'png'));
    for (const key of [file, file.replace('}/', '}/incoming/')]) {
      expect(allowedActions('funnel/upload', [...OBJECT_CHANGES, 's3:GetObject'], key)).toEqual(['s3:PutObject']);
      expect(allowedActions('funnel/submit', ['s3:DeleteObject', 's3:DeleteObjectVersion'], key)).toEqual([]);
    }
    expect(allowedActions('funnel/submit', OBJECT_CHANGES, file.replace('}/', '}/incoming/'))).toEqual([]);
  });
});
