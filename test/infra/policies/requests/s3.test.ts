import * as s3 from '@aws-sdk/client-s3';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requiredPermissions } from '../../../../infra/policies/requests/required-permissions.ts';
import { formatPermission, getPermissions, getRequest } from '../../../support/policies/sent-requests.ts';

const OBJECT = { Bucket: 'uploads', Key: 'org/a b+ü.txt' };
const OBJECT_NAME = 's3:::uploads/org/a b+ü.txt';
const send = (command: object) => getRequest(s3.S3Client, command);
const Bucket = 'uploads';
const UploadId = 'one';
const OBJECT_ONLY = { TaggingDirective: 'REPLACE', AnnotationDirective: 'EXCLUDE' } as const;

test.each<[string, object, string[]]>([
  ['GetObject', new s3.GetObjectCommand(OBJECT), [`s3:GetObject ${OBJECT_NAME}`]],
  [
    'GetObject of a version',
    new s3.GetObjectCommand({ ...OBJECT, VersionId: 'v' }),
    [`s3:GetObjectVersion ${OBJECT_NAME}`],
  ],
  ['HeadObject', new s3.HeadObjectCommand(OBJECT), [`s3:GetObject ${OBJECT_NAME}`]],
  ['PutObject', new s3.PutObjectCommand({ ...OBJECT, Body: 'a' }), [`s3:PutObject ${OBJECT_NAME}`]],
  [
    'PutObject with tags',
    new s3.PutObjectCommand({ ...OBJECT, Body: 'a', Tagging: 'a=b' }),
    [`s3:PutObject ${OBJECT_NAME}`, `s3:PutObjectTagging ${OBJECT_NAME}`],
  ],
  ['DeleteObject', new s3.DeleteObjectCommand(OBJECT), [`s3:DeleteObject ${OBJECT_NAME}`]],
  [
    'DeleteObject of a version',
    new s3.DeleteObjectCommand({ ...OBJECT, VersionId: 'v' }),
    [`s3:DeleteObjectVersion ${OBJECT_NAME}`],
  ],
  [
    'CopyObject without tags and annotations',
    new s3.CopyObjectCommand({ ...OBJECT, ...OBJECT_ONLY, CopySource: 'facts/facts/a%20b.parquet' }),
    ['s3:GetObject s3:::facts/facts/a b.parquet', `s3:PutObject ${OBJECT_NAME}`],
  ],
  [
    'CopyObject with tags and annotations',
    new s3.CopyObjectCommand({ ...OBJECT, CopySource: 'facts/a' }),
    [
      's3:GetObject s3:::facts/a',
      ...['s3:GetObjectTagging s3:::facts/a', `s3:PutObjectTagging ${OBJECT_NAME}`],
      ...['s3:GetObjectAnnotation s3:::facts/a', `s3:PutObjectAnnotation ${OBJECT_NAME}`],
      `s3:PutObject ${OBJECT_NAME}`,
    ],
  ],
  [
    'CopyObject of a version',
    new s3.CopyObjectCommand({ ...OBJECT, ...OBJECT_ONLY, CopySource: '/facts/a?versionId=v' }),
    ['s3:GetObjectVersion s3:::facts/a', `s3:PutObject ${OBJECT_NAME}`],
  ],
  [
    'UploadPartCopy',
    new s3.UploadPartCopyCommand({ ...OBJECT, UploadId, PartNumber: 1, CopySource: 'facts/a' }),
    ['s3:GetObject s3:::facts/a', `s3:PutObject ${OBJECT_NAME}`],
  ],
  [
    'PutObject with If-Match',
    new s3.PutObjectCommand({ ...OBJECT, Body: 'a', IfMatch: '"tag"' }),
    [`s3:PutObject ${OBJECT_NAME}`, `s3:GetObject ${OBJECT_NAME}`],
  ],
  [
    'PutObject with If-None-Match',
    new s3.PutObjectCommand({ ...OBJECT, Body: 'a', IfNoneMatch: '*' }),
    [`s3:PutObject ${OBJECT_NAME}`],
  ],
  ['GetObjectTagging', new s3.GetObjectTaggingCommand(OBJECT), [`s3:GetObjectTagging ${OBJECT_NAME}`]],
  ['CreateMultipartUpload', new s3.CreateMultipartUploadCommand(OBJECT), [`s3:PutObject ${OBJECT_NAME}`]],
  ['UploadPart', new s3.UploadPartCommand({ ...OBJECT, UploadId, PartNumber: 1 }), [`s3:PutObject ${OBJECT_NAME}`]],
  [
    'CompleteMultipartUpload',
    new s3.CompleteMultipartUploadCommand({ ...OBJECT, UploadId }),
    [`s3:PutObject ${OBJECT_NAME}`],
  ],
  [
    'AbortMultipartUpload',
    new s3.AbortMultipartUploadCommand({ ...OBJECT, UploadId }),
    [`s3:AbortMultipartUpload ${OBJECT_NAME}`],
  ],
  ['ListParts', new s3.ListPartsCommand({ ...OBJECT, UploadId }), [`s3:ListMultipartUploadParts ${OBJECT_NAME}`]],
  ['ListObjects', new s3.ListObjectsV2Command({ Bucket }), ['s3:ListBucket s3:::uploads']],
  [
    'ListObjects with a prefix',
    new s3.ListObjectsV2Command({ Bucket, Prefix: 'a/b', MaxKeys: 3, StartAfter: 'a', Delimiter: '/' }),
    ['s3:ListBucket s3:::uploads {"s3:prefix":"a/b"}'],
  ],
  [
    'ListObjectVersions',
    new s3.ListObjectVersionsCommand({ Bucket, Prefix: 'a', KeyMarker: 'b' }),
    ['s3:ListBucketVersions s3:::uploads {"s3:prefix":"a"}'],
  ],
  ['HeadBucket', new s3.HeadBucketCommand({ Bucket }), ['s3:ListBucket s3:::uploads']],
])('%s needs exactly the permissions that AWS documents', async (_, command, permissions) => {
  expect(getPermissions(await send(command))).toEqual(permissions);
});

test('DeleteObjects needs a permission for each key, even if keys contain special characters', async () => {
  const keys = fc.uniqueArray(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(keys, async (names) => {
      const Objects = names.map((Key, index) => (index % 2 === 0 ? { Key } : { Key, VersionId: 'v' }));
      const request = await send(new s3.DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
      expect(getPermissions(request)).toEqual(
        names.map((name, index) => `s3:DeleteObject${index % 2 === 0 ? '' : 'Version'} s3:::uploads/${name}`),
      );
    }),
    { numRuns: 30 },
  );
});

describe('the permission to see that an object is missing', () => {
  const toSeeMissing = async (command: object) => {
    const permission = requiredPermissions(await send(command)).toSeeMissing;
    return permission && formatPermission(permission);
  };

  test('is ListBucket on the bucket that is read; a delete needs no such permission', async () => {
    expect(await toSeeMissing(new s3.GetObjectCommand(OBJECT))).toBe(
      `s3:ListBucket s3:::uploads {"s3:prefix":"${OBJECT.Key}"}`,
    );
    expect(await toSeeMissing(new s3.CopyObjectCommand({ ...OBJECT, CopySource: 'facts/a' }))).toBe(
      's3:ListBucket s3:::facts {"s3:prefix":"a"}',
    );
    expect(await toSeeMissing(new s3.DeleteObjectCommand(OBJECT))).toBeUndefined();
  });
});

test.each([
  ['PutObject with an ACL', new s3.PutObjectCommand({ ...OBJECT, Body: 'a', ACL: 'public-read' })],
  ['PutObject with a lock', new s3.PutObjectCommand({ ...OBJECT, Body: 'a', ObjectLockMode: 'GOVERNANCE' })],
  [
    'SelectObjectContent',
    new s3.SelectObjectContentCommand({
      ...OBJECT,
      Expression: '',
      ExpressionType: 'SQL',
      InputSerialization: {},
      OutputSerialization: {},
    }),
  ],
  ['GetBucketPolicy', new s3.GetBucketPolicyCommand({ Bucket })],
])('throws an error for %s, because the permissions of this request are not known', async (_, command) => {
  const request = await send(command);
  expect(() => getPermissions(request)).toThrow('are not known');
});
