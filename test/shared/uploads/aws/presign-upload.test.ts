import { expect, test, vi } from 'vitest';
import { validatePostPolicy } from '../../../../infra/local/s3/post-policy.ts';
import { presignUpload } from '../../../../shared/uploads/aws/presign-upload.ts';

const SECRET = 'wJalr';
const file = { path: 'org/block/uuid.pdf', mimeType: 'application/pdf', size: 5_000_000 };

async function presigned() {
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIATEST');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', SECRET);
  vi.stubEnv('UPLOADS_BUCKET', 'uploads');
  return presignUpload(file);
}

const lowered = (fields: Record<string, string>) =>
  new Map(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]));

test('the policy of a presigned form fixes bucket, key, type and exact length, and expires after 15 minutes', async () => {
  const before = Date.now();
  const { url, fields, expiresAt } = await presigned();
  const after = Date.now();
  expect(url).toMatch(/^https:\/\/uploads\.s3\.eu-central-1\.amazonaws\.com\/?$/);
  const policy = JSON.parse(Buffer.from(fields.Policy ?? '', 'base64').toString());
  expect(policy.conditions).toEqual(
    expect.arrayContaining([
      ['content-length-range', 5_000_000, 5_000_000],
      { 'Content-Type': 'application/pdf' },
      { bucket: 'uploads' },
      // The form uploads to a key below `incoming/`, not to the final key.
      { key: 'incoming/org/block/uuid.pdf' },
    ]),
  );
  // All other conditions belong to the signature or repeat the key.
  const others = policy.conditions.slice(4).flatMap((condition: object) => Object.keys(condition));
  expect(others.every((name: string) => name.startsWith('X-Amz-') || name === 'key')).toBe(true);
  // The expiration is rounded down to whole seconds.
  expect(Date.parse(policy.expiration) - before).toBeGreaterThan(898_000);
  expect(Date.parse(policy.expiration) - after).toBeLessThanOrEqual(900_000);
  expect(Math.abs(Date.parse(policy.expiration) - Date.parse(expiresAt))).toBeLessThanOrEqual(1_000);
});

test('the stand-in for S3 accepts the signed form, and allows only the announced length of the file', async () => {
  const { fields } = await presigned();
  expect(validatePostPolicy(lowered(fields), SECRET, Date.now())).toEqual({ bytesMin: 5_000_000, bytesMax: 5_000_000 });
});

test.each<[string, (fields: Record<string, string>) => Record<string, string>]>([
  ['the final key of the file', (fields) => ({ ...fields, key: 'org/block/uuid.pdf' })],
  ['another type', (fields) => ({ ...fields, 'Content-Type': 'text/html' })],
  ['no type', ({ 'Content-Type': _, ...fields }) => fields],
  ['an additional field', (fields) => ({ ...fields, acl: 'public-read' })],
  ['another signature', (fields) => ({ ...fields, 'X-Amz-Signature': '00'.repeat(32) })],
  ['no policy', ({ Policy: _, ...fields }) => fields],
  ['another policy', (fields) => ({ ...fields, Policy: Buffer.from('{"conditions":[]}').toString('base64') })],
])('the stand-in for S3 rejects a form with %s', async (_, change) => {
  const { fields } = await presigned();
  expect(validatePostPolicy(lowered(change(fields)), SECRET, Date.now())).toMatchObject({
    violation: expect.any(String),
  });
});

test('the stand-in for S3 rejects an expired form', async () => {
  const { fields } = await presigned();
  expect(validatePostPolicy(lowered(fields), SECRET, Date.now() + 3_601_000)).toEqual({
    violation: 'the policy has expired',
  });
});
