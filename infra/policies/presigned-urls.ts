import { Buffer } from 'node:buffer';
import * as z from 'zod/mini';
import { parseSignature, UnknownRequest } from './requests/aws-request.ts';
import { type RequestPermissions, s3Permissions } from './requests/s3.ts';

const SIGNATURE = /x-amz-signature/i;
const PRESIGNED_URL = /https?:\/\/[^\s"'<>\\]+[?&]X-Amz-Signature=[^\s"'<>\\]+/g;

/** HTTP methods by operation. The SDK writes the operation into the query of a presigned URL as `x-id`. */
const METHODS: Readonly<Record<string, string>> = { GetObject: 'GET', HeadObject: 'HEAD', PutObject: 'PUT' };

const PresignedForm = z.object({ Policy: z.string(), key: z.string() });
const PostPolicy = z.object({ conditions: z.array(z.unknown()) });
const BucketCondition = z.object({ bucket: z.string() });

/**
 * Returns the permissions that the presigned URLs and forms in a function's response need. When a client uses a URL or
 * a form, S3 applies the policy of the function that signed it.
 *
 * @throws UnknownRequest for a URL or form whose permissions are not known
 */
export function findPresignedUrls(result: unknown): RequestPermissions[] {
  const body = typeof result === 'object' && result !== null && 'body' in result ? result.body : undefined;
  if (typeof body !== 'string' || !SIGNATURE.test(body)) return [];
  const urls = [...body.matchAll(PRESIGNED_URL)].map(([url]) => new URL(url));
  return [...urls.map(urlPermissions), ...findForms(JSON.parse(body)).map(formPermissions)];
}

function urlPermissions(url: URL): RequestPermissions {
  const signature = parseSignature('', url.search);
  const method = METHODS[url.searchParams.get('x-id') ?? ''];
  if (signature?.service !== 's3' || method === undefined) throw new UnknownRequest('a presigned URL');
  const target = `${url.pathname}${url.search}`;
  return s3Permissions({ ...signature, method, host: url.host, target, headers: {}, body: '' });
}

/** Finds presigned forms at any depth of a value. */
function findForms(value: unknown): z.infer<typeof PresignedForm>[] {
  if (typeof value !== 'object' || value === null) return [];
  const { data } = PresignedForm.safeParse(value);
  return data === undefined ? Object.values(value).flatMap(findForms) : [data];
}

/** A client that posts the form needs the permission to put an object with the form's key. */
function formPermissions({ Policy, key }: z.infer<typeof PresignedForm>): RequestPermissions {
  const { conditions } = PostPolicy.parse(JSON.parse(Buffer.from(Policy, 'base64').toString()));
  const bucket = conditions
    .map((condition) => BucketCondition.safeParse(condition).data?.bucket)
    .find((name) => name !== undefined);
  if (bucket === undefined) throw new UnknownRequest('a presigned form without a bucket');
  return { permissions: [{ action: 's3:PutObject', resource: `arn:aws:s3:::${bucket}/${key}` }] };
}
