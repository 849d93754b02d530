import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { operations } from '../../../functions/operations.ts';
import { evaluatePolicy } from '../../../infra/policies/evaluate-policy.ts';
import { synthesizePolicies } from '../../../infra/policies/synthesize-policies.ts';
import { ASSETS_PREFIX } from '../../../shared/landing-pages/landing-page.ts';
import { storagePathOf } from '../../../shared/uploads/upload.ts';

const PUBLIC = operations.filter(({ auth }) => auth === 'public').map(({ id }) => id);
/** What visitors send is parsed by these: a fault in a parser is their role in a stranger's hands. */
const EXPOSED = [...PUBLIC, 'background/sweep-uploads'];

/** The table as a role names it: by the variable that a function has its name in. */
const table = (variable: string) => `arn:aws:dynamodb:eu-central-1:111122223333:table/\${${variable}}`;
const object = (key: string) => `arn:aws:s3:::\${UPLOADS_BUCKET}/${key}`;

const TABLE_WRITES = [
  ...['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems'],
  ...['PartiQLInsert', 'PartiQLUpdate', 'PartiQLDelete', 'UpdateTable', 'DeleteTable'],
].map((name) => `dynamodb:${name}`);
const OBJECT_CHANGES = ['s3:PutObject', 's3:DeleteObject', 's3:DeleteObjectVersion', 's3:PutObjectAcl'];

describe.each(['dev', 'prod'])('in %s', (stage) => {
  const policies = synthesizePolicies(stage);
  const may = (id: string, actions: readonly string[], resource: string) =>
    actions.filter((action) => evaluatePolicy(policies[id] ?? [], { action, resource }).allowed);

  test('the public operations are those that need no member’s token', () => {
    expect(PUBLIC).toEqual(expect.arrayContaining(['funnel/upload', 'funnel/submit', 'training/voice-webhook']));
    expect(PUBLIC.filter((id) => policies[id] === undefined)).toEqual([]);
  });

  test.each(EXPOSED)('%s can write no membership, organization, funnel, page or hostname', (id) => {
    expect(may(id, TABLE_WRITES, table('DIRECTORY_TABLE'))).toEqual([]);
  });

  test.each(EXPOSED)('%s can change no file that a landing page shows', (id) => {
    const asset = `${ASSETS_PREFIX}${randomUUID()}/${randomUUID()}/${randomUUID()}.png`;
    expect(may(id, [...OBJECT_CHANGES, 's3:GetObject'], object(asset))).toEqual([]);
  });

  test('only those that store, keep and sweep files can write records of uploads', () => {
    const writers = EXPOSED.filter((id) => may(id, TABLE_WRITES, table('UPLOADS_TABLE')).length > 0);
    expect(writers.sort()).toEqual(['background/sweep-uploads', 'funnel/submit', 'funnel/upload']);
  });

  test('upload and submit can remove no file, and upload can read none', () => {
    const file = object(storagePathOf(randomUUID(), randomUUID(), randomUUID(), 'png'));
    for (const key of [file, file.replace('}/', '}/incoming/')]) {
      expect(may('funnel/upload', [...OBJECT_CHANGES, 's3:GetObject'], key)).toEqual(['s3:PutObject']);
      expect(may('funnel/submit', ['s3:DeleteObject', 's3:DeleteObjectVersion'], key)).toEqual([]);
    }
    expect(may('funnel/submit', OBJECT_CHANGES, file.replace('}/', '}/incoming/'))).toEqual([]);
  });
});
