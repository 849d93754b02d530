import * as s3 from '@aws-sdk/client-s3';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requiredPermissions } from '../../../../infra/policies/requests/required-permissions.ts';
import { demandsIn, inShort, requestOf } from '../../../support/policies/sent-requests.ts';

const at = { Bucket: 'uploads', Key: 'org/a b+ü.txt' };
const object = 's3:::uploads/org/a b+ü.txt';
const sent = (command: object) => requestOf(s3.S3Client, command);
const Bucket = 'uploads';
const UploadId = 'one';
const ALONE = { TaggingDirective: 'REPLACE', AnnotationDirective: 'EXCLUDE' } as const;

test.each<[string, object, string[]]>([
  ['reads an object', new s3.GetObjectCommand(at), [`s3:GetObject ${object}`]],
  ['reads a version', new s3.GetObjectCommand({ ...at, VersionId: 'v' }), [`s3:GetObjectVersion ${object}`]],
  ['looks at its head', new s3.HeadObjectCommand(at), [`s3:GetObject ${object}`]],
  ['writes one', new s3.PutObjectCommand({ ...at, Body: 'a' }), [`s3:PutObject ${object}`]],
  [
    'writes one with tags',
    new s3.PutObjectCommand({ ...at, Body: 'a', Tagging: 'a=b' }),
    [`s3:PutObject ${object}`, `s3:PutObjectTagging ${object}`],
  ],
  ['deletes one', new s3.DeleteObjectCommand(at), [`s3:DeleteObject ${object}`]],
  ['deletes a version', new s3.DeleteObjectCommand({ ...at, VersionId: 'v' }), [`s3:DeleteObjectVersion ${object}`]],
  [
    'copies one alone',
    new s3.CopyObjectCommand({ ...at, ...ALONE, CopySource: 'facts/facts/a%20b.parquet' }),
    ['s3:GetObject s3:::facts/facts/a b.parquet', `s3:PutObject ${object}`],
  ],
  [
    'copies one with all that belongs to it',
    new s3.CopyObjectCommand({ ...at, CopySource: 'facts/a' }),
    [
      's3:GetObject s3:::facts/a',
      ...['s3:GetObjectTagging s3:::facts/a', `s3:PutObjectTagging ${object}`],
      ...['s3:GetObjectAnnotation s3:::facts/a', `s3:PutObjectAnnotation ${object}`],
      `s3:PutObject ${object}`,
    ],
  ],
  [
    'copies a version',
    new s3.CopyObjectCommand({ ...at, ...ALONE, CopySource: '/facts/a?versionId=v' }),
    ['s3:GetObjectVersion s3:::facts/a', `s3:PutObject ${object}`],
  ],
  [
    'copies a part',
    new s3.UploadPartCopyCommand({ ...at, UploadId, PartNumber: 1, CopySource: 'facts/a' }),
    ['s3:GetObject s3:::facts/a', `s3:PutObject ${object}`],
  ],
  [
    'writes one if it is what it was',
    new s3.PutObjectCommand({ ...at, Body: 'a', IfMatch: '"tag"' }),
    [`s3:PutObject ${object}`, `s3:GetObject ${object}`],
  ],
  [
    'writes one if there is none',
    new s3.PutObjectCommand({ ...at, Body: 'a', IfNoneMatch: '*' }),
    [`s3:PutObject ${object}`],
  ],
  ['reads its tags', new s3.GetObjectTaggingCommand(at), [`s3:GetObjectTagging ${object}`]],
  ['begins parts', new s3.CreateMultipartUploadCommand(at), [`s3:PutObject ${object}`]],
  ['sends a part', new s3.UploadPartCommand({ ...at, UploadId, PartNumber: 1 }), [`s3:PutObject ${object}`]],
  ['joins parts', new s3.CompleteMultipartUploadCommand({ ...at, UploadId }), [`s3:PutObject ${object}`]],
  ['gives parts up', new s3.AbortMultipartUploadCommand({ ...at, UploadId }), [`s3:AbortMultipartUpload ${object}`]],
  ['lists parts', new s3.ListPartsCommand({ ...at, UploadId }), [`s3:ListMultipartUploadParts ${object}`]],
  ['lists all', new s3.ListObjectsV2Command({ Bucket }), ['s3:ListBucket s3:::uploads']],
  [
    'lists below a prefix',
    new s3.ListObjectsV2Command({ Bucket, Prefix: 'a/b', MaxKeys: 3, StartAfter: 'a', Delimiter: '/' }),
    ['s3:ListBucket s3:::uploads {"s3:prefix":"a/b"}'],
  ],
  [
    'lists versions',
    new s3.ListObjectVersionsCommand({ Bucket, Prefix: 'a', KeyMarker: 'b' }),
    ['s3:ListBucketVersions s3:::uploads {"s3:prefix":"a"}'],
  ],
  ['looks for a bucket', new s3.HeadBucketCommand({ Bucket }), ['s3:ListBucket s3:::uploads']],
])('who %s demands just that', async (_, command, demands) => {
  expect(demandsIn(await sent(command))).toEqual(demands);
});

test('who deletes many demands it of each key, whatever characters it has', async () => {
  const keys = fc.uniqueArray(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(keys, async (names) => {
      const Objects = names.map((Key, index) => (index % 2 === 0 ? { Key } : { Key, VersionId: 'v' }));
      const request = await sent(new s3.DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
      expect(demandsIn(request)).toEqual(
        names.map((name, index) => `s3:DeleteObject${index % 2 === 0 ? '' : 'Version'} s3:::uploads/${name}`),
      );
    }),
    { numRuns: 30 },
  );
});

describe('whether an object is missing', () => {
  const hearing = async (command: object) => {
    const { toSeeMissing: toHearMissing } = requiredPermissions(await sent(command));
    return toHearMissing && inShort(toHearMissing);
  };

  test('is told to who may list its bucket; of a copy, that of the source', async () => {
    expect(await hearing(new s3.GetObjectCommand(at))).toBe(`s3:ListBucket s3:::uploads {"s3:prefix":"${at.Key}"}`);
    expect(await hearing(new s3.CopyObjectCommand({ ...at, CopySource: 'facts/a' }))).toBe(
      's3:ListBucket s3:::facts {"s3:prefix":"a"}',
    );
    expect(await hearing(new s3.DeleteObjectCommand(at))).toBeUndefined();
  });
});

test.each([
  ['an ACL', new s3.PutObjectCommand({ ...at, Body: 'a', ACL: 'public-read' })],
  ['a lock', new s3.PutObjectCommand({ ...at, Body: 'a', ObjectLockMode: 'GOVERNANCE' })],
  [
    'a query',
    new s3.SelectObjectContentCommand({
      ...at,
      Expression: '',
      ExpressionType: 'SQL',
      InputSerialization: {},
      OutputSerialization: {},
    }),
  ],
  ['a policy of the bucket', new s3.GetBucketPolicyCommand({ Bucket })],
])('a call with %s is unknown', async (_, command) => {
  const request = await sent(command);
  expect(() => demandsIn(request)).toThrow('is not known here');
});
