import {
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandInput,
  S3Client,
} from '@aws-sdk/client-s3';
import { beforeAll, expect, test } from 'vitest';
import { createS3NoncurrentVersions } from '../../../../shared/platform/aws/s3-noncurrent-versions.ts';
import { createS3ObjectStore } from '../../../../shared/platform/aws/s3-object-store.ts';

beforeAll(() => void Object.assign(process.env, { LAKE_BUCKET: 'lake' }));

/** Creates both S3 adapters with a client that records requests and returns prepared responses for each operation. */
function answering(responses: Record<string, object[]>) {
  const requests: [string, object][] = [];
  class Fake extends S3Client {
    override async send(command: object): Promise<never> {
      const name = command.constructor.name.replace('Command', '');
      requests.push([name, (command as { input: object }).input]);
      const answer = responses[name]?.shift() ?? {};
      if (answer instanceof Error) throw answer;
      return answer as never;
    }
  }
  const client = new Fake({ region: 'eu-central-1' });
  return {
    requests,
    objects: createS3ObjectStore('lakeBucket', () => client),
    versions: createS3NoncurrentVersions('lakeBucket', () => client),
  };
}

const Bucket = 'lake';

test('deleteAllVersions deletes an object by its version id if the object has a version id', async () => {
  const { requests, objects } = answering({ HeadObject: [{ VersionId: 'v1' }, {}] });
  await objects.deleteAllVersions('a');
  await objects.deleteAllVersions('b');
  expect(requests.filter(([name]) => name === 'DeleteObject').map(([, input]) => input)).toEqual([
    { Bucket, Key: 'a', VersionId: 'v1' },
    { Bucket, Key: 'b' },
  ]);
});

test('old versions on all pages of a listing are removed, and current versions are kept', async () => {
  const pages = [
    {
      Versions: [
        { Key: 'p/1', VersionId: 'old', IsLatest: false },
        { Key: 'p/2', VersionId: 'now', IsLatest: true },
      ],
      IsTruncated: true,
      NextKeyMarker: 'p/2',
      NextVersionIdMarker: 'now',
    },
    { Versions: [{ Key: 'p/3', VersionId: 'older', IsLatest: false }] },
  ];
  const { requests, versions } = answering({ ListObjectVersions: pages });
  expect(await versions.remove('p/')).toBe(2);
  expect(requests.filter(([name]) => name === 'DeleteObject').map(([, input]) => input)).toEqual([
    { Bucket, Key: 'p/1', VersionId: 'old' },
    { Bucket, Key: 'p/3', VersionId: 'older' },
  ]);
  expect(requests[2]?.[1]).toMatchObject({ Prefix: 'p/', KeyMarker: 'p/2', VersionIdMarker: 'now' });
});

type Version = { Key: string; VersionId: string; IsLatest: boolean };

/** An in-memory store. Like moto and versitygw, it lists nothing if the marker is a removed version. */
function versionedStore(stored: Version[]): S3Client {
  const list = ({ KeyMarker, VersionIdMarker }: ListObjectVersionsCommandInput) => {
    const marker = stored.findIndex(({ Key, VersionId }) => Key === KeyMarker && VersionId === VersionIdMarker);
    if (KeyMarker !== undefined && marker < 0) return { IsTruncated: false };
    const Versions = stored.slice(marker + 1, marker + 1001);
    const last = Versions.at(-1);
    const IsTruncated = marker + 1001 < stored.length;
    return { Versions, IsTruncated, NextKeyMarker: last?.Key, NextVersionIdMarker: last?.VersionId };
  };
  class Store extends S3Client {
    override async send(command: object): Promise<never> {
      if (command instanceof ListObjectVersionsCommand) return list(command.input) as never;
      if (!(command instanceof DeleteObjectCommand)) throw new Error('This store does not support the command.');
      const { Key, VersionId } = command.input;
      const at = stored.findIndex((version) => version.Key === Key && version.VersionId === VersionId);
      if (at >= 0) stored.splice(at, 1);
      return {} as never;
    }
  }
  return new Store({ region: 'eu-central-1' });
}

test('all old versions are removed, even if the store cannot continue a listing after a removed version', async () => {
  const keys = Array.from({ length: 350 }, (_, at) => `p/${1000 + at}`);
  const versionsOf = (Key: string) =>
    ['v4', 'v3', 'v2', 'v1'].map((VersionId, at) => ({ Key, VersionId, IsLatest: at === 0 }));
  const stored = keys.flatMap(versionsOf);
  const client = versionedStore(stored);
  expect(await createS3NoncurrentVersions('lakeBucket', () => client).remove('p/')).toBe(1_050);
  expect(stored.map(({ VersionId }) => VersionId)).toEqual(keys.map(() => 'v4'));
});

test('if the first listing of old versions is rejected, `remove` throws the error and removes nothing', async () => {
  const refused = Object.assign(new Error('AccessDenied'), { name: 'AccessDenied' });
  const { requests, versions } = answering({ ListObjectVersions: [refused] });
  await expect(versions.remove('p/')).rejects.toThrow('AccessDenied');
  expect(requests.map(([name]) => name)).toEqual(['ListObjectVersions']);
});
