import { PSEUDO_PARAMETERS } from '../resolve-template.ts';
import type { RequiredPermission } from '../statement.ts';
import { type AwsRequest, pathAndQuery, UnknownRequest } from './aws-request.ts';

export type RequestPermissions = {
  permissions: RequiredPermission[];
  /** Who asks for an object that is missing hears so only with this, else that it is forbidden (API, GetObject). */
  toSeeMissing?: RequiredPermission;
};

type Place = { bucket: string; key: string; query: URLSearchParams };

/** What a query holds besides the operation: how to answer, which part, the signature, the SDK's own mark. */
const ASIDE = /^(?:response-.+|partNumber|versionId|x-id|x-amz-.+)$/i;
/** Of the query of a listing. */
const OF_LISTING =
  /^(?:continuation-token|delimiter|encoding-type|fetch-owner|(?:key-|version-id-)?marker|max-keys|prefix|start-after)$/;
/** Headers that take permissions of their own, which no function has. */
const MORE = /^x-amz-(?:acl|grant-.+|object-lock-.+|bypass-governance-retention|mfa|website-redirect-location)$/;

const bucketArn = (bucket: string) => `arn:${PSEUDO_PARAMETERS.partition}:s3:::${bucket}`;
const objectArn = (bucket: string, key: string) => `${bucketArn(bucket)}/${key}`;

/**
 * By the S3 User Guide's table of required permissions for operations.
 *
 * @throws UnknownRequest for any other operation than those on objects and lists that a function may want
 */
export function s3Permissions(request: AwsRequest): RequestPermissions {
  const place = placeOf(request);
  const more = Object.keys(request.headers).find((name) => MORE.test(name));
  if (more !== undefined) throw new UnknownRequest(`S3's header ${more}`);
  return place.key === '' ? ofBucket(request, place) : ofObject(request, place);
}

/** The bucket is in the path, or the first part of the host. */
function placeOf(request: AwsRequest): Place {
  const { path, query } = pathAndQuery(request);
  const [, inHost] = /^(.+)\.s3[.-]/.exec(request.host) ?? [];
  const decoded = decodeURIComponent(path).slice(1);
  if (inHost !== undefined) return { bucket: inHost, key: decoded, query };
  const at = decoded.indexOf('/');
  return at < 0
    ? { bucket: decoded, key: '', query }
    : { bucket: decoded.slice(0, at), key: decoded.slice(at + 1), query };
}

const operationIn = (query: URLSearchParams, aside: RegExp): string =>
  [...query.keys()]
    .filter((name) => !ASIDE.test(name) && !aside.test(name))
    .sort()
    .join('&');

const OBJECT_ACTIONS: Readonly<Record<string, string>> = {
  'GET ': 'GetObject',
  'HEAD ': 'GetObject',
  'PUT ': 'PutObject',
  'DELETE ': 'DeleteObject',
  'GET tagging': 'GetObjectTagging',
  'PUT tagging': 'PutObjectTagging',
  'DELETE tagging': 'DeleteObjectTagging',
  'POST uploads': 'PutObject',
  'PUT uploadId': 'PutObject',
  'POST uploadId': 'PutObject',
  'GET uploadId': 'ListMultipartUploadParts',
  'DELETE uploadId': 'AbortMultipartUpload',
};
/** A version that is named takes an action of its own. */
const VERSIONED = /^(?:Get|Delete|Put)Object(?:Tagging)?$/;

function ofObject(request: AwsRequest, { bucket, key, query }: Place): RequestPermissions {
  const operation = `${request.method} ${operationIn(query, /^$/)}`;
  const action = OBJECT_ACTIONS[operation];
  if (action === undefined) throw new UnknownRequest(`S3's ${operation} on an object`);
  const isVersion = query.has('versionId') && VERSIONED.test(action);
  const resource = objectArn(bucket, key);
  const demands = [{ action: versioned(action, isVersion), resource }];
  const { 'x-amz-copy-source': source, 'x-amz-tagging': tags, 'if-match': etag = '*' } = request.headers;
  if (source !== undefined) {
    demands.unshift(readOf(source), ...(query.has('uploadId') ? [] : takenAlong(source, request.headers, resource)));
  }
  if (tags !== undefined) demands.push({ action: 's3:PutObjectTagging', resource });
  // Who changes an object only if it is a certain one learns something of it.
  if (action !== 'GetObject' && etag !== '*') demands.push({ action: 's3:GetObject', resource });
  const looksFor = source === undefined ? { bucket, key } : sourceOf(source);
  return {
    permissions: demands,
    ...((action === 'GetObject' || source !== undefined) && { toSeeMissing: hearing(looksFor) }),
  };
}

/** S3 takes the key for the prefix that a condition speaks of (ceph/s3-tests, test_head_object_404_with_policy_prefix). */
const hearing = ({ bucket, key }: { bucket: string; key: string }): RequiredPermission => ({
  action: 's3:ListBucket',
  resource: bucketArn(bucket),
  context: { 's3:prefix': key },
});

const versioned = (action: string, isVersion: boolean): string =>
  `s3:${isVersion ? action.replace('Object', 'ObjectVersion') : action}`;

/** `bucket/key`, maybe with `?versionId=`; encoded as in a URL. */
function sourceOf(source: string): { bucket: string; key: string; isVersion: boolean } {
  const [name = '', version] = source.replace(/^\//, '').split('?versionId=');
  const decoded = decodeURIComponent(name);
  const at = decoded.indexOf('/');
  return { bucket: decoded.slice(0, at), key: decoded.slice(at + 1), isVersion: version !== undefined };
}

/** What a copy takes along of its source. Tags and annotations it takes along unless it says otherwise (API, CopyObject). */
const TAKEN_ALONG = [
  { header: 'x-amz-tagging-directive', otherwise: 'REPLACE', what: 'Tagging' },
  { header: 'x-amz-object-annotation-directive', otherwise: 'EXCLUDE', what: 'Annotation' },
];

const takenAlong = (source: string, headers: AwsRequest['headers'], target: string): RequiredPermission[] =>
  TAKEN_ALONG.filter(({ header, otherwise }) => headers[header] !== otherwise).flatMap(({ what }) => [
    readOf(source, what),
    { action: `s3:PutObject${what}`, resource: target },
  ]);

function readOf(source: string, what = ''): RequiredPermission {
  const { bucket, key, isVersion } = sourceOf(source);
  return { action: versioned(`GetObject${what}`, isVersion), resource: objectArn(bucket, key) };
}

function ofBucket(request: AwsRequest, { bucket, query }: Place): RequestPermissions {
  const operation = `${request.method} ${operationIn(query, OF_LISTING)}`;
  const prefix = query.get('prefix');
  const list = (action: string): RequestPermissions => ({
    permissions: [
      { action, resource: bucketArn(bucket), ...(prefix !== null && { context: { 's3:prefix': prefix } }) },
    ],
  });
  if (operation === 'GET ' || operation === 'GET list-type' || operation === 'HEAD ') return list('s3:ListBucket');
  if (operation === 'GET versions') return list('s3:ListBucketVersions');
  if (operation === 'GET uploads') return list('s3:ListBucketMultipartUploads');
  if (operation === 'POST delete') return { permissions: ofDeletions(bucket, request.body) };
  throw new UnknownRequest(`S3's ${operation} on a bucket`);
}

/** DeleteObjects: each key is judged by itself. */
function ofDeletions(bucket: string, body: string): RequiredPermission[] {
  const objects = [...body.matchAll(/<Object>(.*?)<\/Object>/gs)].map(([, object = '']) => object);
  if (objects.length === 0) throw new UnknownRequest('a DeleteObjects without objects');
  return objects.map((object) => {
    const [, key] = /<Key>(.*?)<\/Key>/s.exec(object) ?? [];
    if (key === undefined) throw new UnknownRequest('a DeleteObjects without a key');
    const action = versioned('DeleteObject', object.includes('<VersionId>'));
    return { action, resource: objectArn(bucket, unescaped(key)) };
  });
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const unescaped = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (all, hex?: string, decimal?: string, name?: string) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return decimal === undefined ? (ENTITIES[name ?? ''] ?? all) : String.fromCodePoint(Number(decimal));
  });
