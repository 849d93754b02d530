import { Buffer } from 'node:buffer';
import * as z from 'zod/mini';
import { parseSignature, UnknownRequest } from './requests/aws-request.ts';
import { type RequestPermissions, s3Permissions } from './requests/s3.ts';

const MARK = /x-amz-signature/i;
const LINK = /https?:\/\/[^\s"'<>\\]+[?&]X-Amz-Signature=[^\s"'<>\\]+/g;

const METHODS: Readonly<Record<string, string>> = { GetObject: 'GET', HeadObject: 'HEAD', PutObject: 'PUT' };

const Form = z.object({ Policy: z.string(), key: z.string() });
const PostPolicy = z.object({ conditions: z.array(z.unknown()) });
const OfBucket = z.object({ bucket: z.string() });

/**
 * What presigned links and forms in a function's answer will do with its permissions, when whoever got them uses them:
 * S3 judges that by its policy.
 */
export function findPresignedUrls(answer: unknown): RequestPermissions[] {
  const body = typeof answer === 'object' && answer !== null && 'body' in answer ? answer.body : undefined;
  if (typeof body !== 'string' || !MARK.test(body)) return [];
  return [...[...body.matchAll(LINK)].map(([link]) => ofLink(new URL(link))), ...formsIn(JSON.parse(body)).map(ofForm)];
}

function ofLink(link: URL): RequestPermissions {
  const signed = parseSignature('', link.search);
  const method = METHODS[link.searchParams.get('x-id') ?? ''];
  if (signed?.service !== 's3' || method === undefined) throw new UnknownRequest('a signed link');
  return s3Permissions({
    ...signed,
    method,
    host: link.host,
    target: `${link.pathname}${link.search}`,
    headers: {},
    body: '',
  });
}

/** Everywhere in the answer. */
function formsIn(value: unknown): z.infer<typeof Form>[] {
  if (typeof value !== 'object' || value === null) return [];
  const { data } = Form.safeParse(value);
  return data === undefined ? Object.values(value).flatMap(formsIn) : [data];
}

/** A POST of a form is a PutObject, of the key that the form has. */
function ofForm({ Policy, key }: z.infer<typeof Form>): RequestPermissions {
  const { conditions } = PostPolicy.parse(JSON.parse(Buffer.from(Policy, 'base64').toString()));
  const bucket = conditions
    .map((condition) => OfBucket.safeParse(condition).data?.bucket)
    .find((name) => name !== undefined);
  if (bucket === undefined) throw new UnknownRequest('a signed form that names no bucket');
  return { permissions: [{ action: 's3:PutObject', resource: `arn:aws:s3:::${bucket}/${key}` }] };
}
