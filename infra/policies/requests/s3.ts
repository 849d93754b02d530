import { PSEUDO_PARAMETERS } from '../resolve-template.ts';
import type { RequiredPermission } from '../statement.ts';
import { type AwsRequest, splitTarget, UnknownRequest } from './aws-request.ts';

export type RequestPermissions = {
  permissions: RequiredPermission[];
  /** With this permission, S3 responds 404 for a missing object; without it, 403 (API reference, GetObject). */
  toSeeMissing?: RequiredPermission;
};

type ObjectAddress = { bucket: string; key: string; query: URLSearchParams };

/** Query parameters that don't change the operation: response headers, part, version, signature, SDK marker. */
const NEUTRAL_PARAMETERS = /^(?:response-.+|partNumber|versionId|x-id|x-amz-.+)$/i;
const LIST_PARAMETERS =
  /^(?:continuation-token|delimiter|encoding-type|fetch-owner|(?:key-|version-id-)?marker|max-keys|prefix|start-after)$/;
/** Headers that need further permissions, which no function has. */
const UNSUPPORTED_HEADERS =
  /^x-amz-(?:acl|grant-.+|object-lock-.+|bypass-governance-retention|mfa|website-redirect-location)$/;

const bucketArn = (bucket: string) => `arn:${PSEUDO_PARAMETERS.partition}:s3:::${bucket}`;
const objectArn = (bucket: string, key: string) => `${bucketArn(bucket)}/${key}`;

/**
 * Returns the permissions that the table of required permissions in the S3 User Guide lists.
 *
 * @throws UnknownRequest for an operation or a header that is not supported
 */
export function s3Permissions(request: AwsRequest): RequestPermissions {
  const address = parseAddress(request);
  const unsupported = Object.keys(request.headers).find((name) => UNSUPPORTED_HEADERS.test(name));
  if (unsupported !== undefined) throw new UnknownRequest(`S3's header ${unsupported}`);
  return address.key === '' ? bucketPermissions(request, address) : objectPermissions(request, address);
}

/** Reads the bucket from the host, or from the first part of the path. */
function parseAddress(request: AwsRequest): ObjectAddress {
  const { path, query } = splitTarget(request);
  const [, bucketInHost] = /^(.+)\.s3[.-]/.exec(request.host) ?? [];
  const decoded = decodeURIComponent(path).slice(1);
  if (bucketInHost !== undefined) return { bucket: bucketInHost, key: decoded, query };
  const slash = decoded.indexOf('/');
  return slash < 0
    ? { bucket: decoded, key: '', query }
    : { bucket: decoded.slice(0, slash), key: decoded.slice(slash + 1), query };
}

const NO_PARAMETERS = /^$/;

const subresource = (query: URLSearchParams, ignored: RegExp): string =>
  [...query.keys()]
    .filter((name) => !NEUTRAL_PARAMETERS.test(name) && !ignored.test(name))
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
/** If the request names a version of the object, the required action has `ObjectVersion` in its name, not `Object`. */
const VERSIONED_ACTIONS = /^(?:Get|Delete|Put)Object(?:Tagging)?$/;

function objectPermissions(request: AwsRequest, { bucket, key, query }: ObjectAddress): RequestPermissions {
  const operation = `${request.method} ${subresource(query, NO_PARAMETERS)}`;
  const action = OBJECT_ACTIONS[operation];
  if (action === undefined) throw new UnknownRequest(`S3's ${operation} on an object`);
  const hasVersion = query.has('versionId') && VERSIONED_ACTIONS.test(action);
  const resource = objectArn(bucket, key);
  const permissions = [{ action: actionName(action, hasVersion), resource }];
  const { 'x-amz-copy-source': source, 'x-amz-tagging': tags, 'if-match': etag = '*' } = request.headers;
  if (source !== undefined) {
    const copied = query.has('uploadId') ? [] : copiedPropertyPermissions(source, request.headers, resource);
    permissions.unshift(readSourcePermission(source), ...copied);
  }
  if (tags !== undefined) permissions.push({ action: 's3:PutObjectTagging', resource });
  // A write with If-Match reveals whether the ETag is current. Therefore, S3 also requires permission to read.
  if (action !== 'GetObject' && etag !== '*') permissions.push({ action: 's3:GetObject', resource });
  if (action !== 'GetObject' && source === undefined) return { permissions };
  return {
    permissions,
    toSeeMissing: listPermission(source === undefined ? { bucket, key } : parseCopySource(source)),
  };
}

/**
 * When S3 checks this permission for a missing object, `s3:prefix` is the key of the object (ceph/s3-tests,
 * test_head_object_404_with_policy_prefix).
 */
const listPermission = ({ bucket, key }: { bucket: string; key: string }): RequiredPermission => ({
  action: 's3:ListBucket',
  resource: bucketArn(bucket),
  context: { 's3:prefix': key },
});

const actionName = (action: string, hasVersion: boolean): string =>
  `s3:${hasVersion ? action.replace('Object', 'ObjectVersion') : action}`;

/** Parses a URL-encoded `bucket/key`, optionally with `?versionId=`. */
function parseCopySource(source: string): { bucket: string; key: string; hasVersion: boolean } {
  const [name = '', version] = source.replace(/^\//, '').split('?versionId=');
  const decoded = decodeURIComponent(name);
  const slash = decoded.indexOf('/');
  return { bucket: decoded.slice(0, slash), key: decoded.slice(slash + 1), hasVersion: version !== undefined };
}

/** A copy includes the source's tags and annotations unless headers exclude them (API reference, CopyObject). */
const COPIED_PROPERTIES = [
  { header: 'x-amz-tagging-directive', skipValue: 'REPLACE', property: 'Tagging' },
  { header: 'x-amz-object-annotation-directive', skipValue: 'EXCLUDE', property: 'Annotation' },
];

const copiedPropertyPermissions = (
  source: string,
  headers: AwsRequest['headers'],
  target: string,
): RequiredPermission[] =>
  COPIED_PROPERTIES.filter(({ header, skipValue }) => headers[header] !== skipValue).flatMap(({ property }) => [
    readSourcePermission(source, property),
    { action: `s3:PutObject${property}`, resource: target },
  ]);

function readSourcePermission(source: string, property = ''): RequiredPermission {
  const { bucket, key, hasVersion } = parseCopySource(source);
  return { action: actionName(`GetObject${property}`, hasVersion), resource: objectArn(bucket, key) };
}

function bucketPermissions(request: AwsRequest, { bucket, query }: ObjectAddress): RequestPermissions {
  const operation = `${request.method} ${subresource(query, LIST_PARAMETERS)}`;
  const prefix = query.get('prefix');
  const list = (action: string): RequestPermissions => ({
    permissions: [
      { action, resource: bucketArn(bucket), ...(prefix !== null && { context: { 's3:prefix': prefix } }) },
    ],
  });
  if (operation === 'GET ' || operation === 'GET list-type' || operation === 'HEAD ') return list('s3:ListBucket');
  if (operation === 'GET versions') return list('s3:ListBucketVersions');
  if (operation === 'GET uploads') return list('s3:ListBucketMultipartUploads');
  if (operation === 'POST delete') return { permissions: deleteObjectsPermissions(bucket, request.body) };
  throw new UnknownRequest(`S3's ${operation} on a bucket`);
}

/** DeleteObjects needs a permission for each key. */
function deleteObjectsPermissions(bucket: string, body: string): RequiredPermission[] {
  const objects = [...body.matchAll(/<Object>(.*?)<\/Object>/gs)].map(([, object = '']) => object);
  if (objects.length === 0) throw new UnknownRequest('a DeleteObjects without objects');
  return objects.map((object) => {
    const [, key] = /<Key>(.*?)<\/Key>/s.exec(object) ?? [];
    if (key === undefined) throw new UnknownRequest('a DeleteObjects without a key');
    const action = actionName('DeleteObject', object.includes('<VersionId>'));
    return { action, resource: objectArn(bucket, unescapeXml(key)) };
  });
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const unescapeXml = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (all, hex?: string, decimal?: string, name?: string) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return decimal === undefined ? (ENTITIES[name ?? ''] ?? all) : String.fromCodePoint(Number(decimal));
  });
