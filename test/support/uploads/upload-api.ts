import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { createHandler } from '../../../functions/funnel/upload/handler.ts';
import { uploadOperation } from '../../../functions/funnel/upload/operation.ts';
import { UploadBlock } from '../../../shared/funnels/upload-block.ts';
import { createClientPseudonymizer } from '../../../shared/limits/client-pseudonym.ts';
import { createClientRateLimiter } from '../../../shared/limits/client-rate-limiter.ts';
import { Organization } from '../../../shared/organizations/organization.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import type { Upload } from '../../../shared/uploads/upload.ts';
import type { UploadFilePorts } from '../../../shared/uploads/upload-file.ts';
import { type Answer, proxyEvent, type Request } from '../http.ts';
import { memoryLimiter } from '../memory-limiter.ts';

export const NOON = Date.UTC(2026, 4, 31, 12);

type World = {
  block?: Partial<UploadBlock>;
  organization?: Partial<Organization>;
  ports?: Partial<UploadFilePorts>;
};

/** Sets up an organization with an upload block, and the upload operation, all in memory. */
export function setUpUpload({ block: saidBlock = {}, organization: said = {}, ports = {} }: World = {}) {
  const organization = Organization.parse({ id: randomUUID(), name: 'Northlight', ...said });
  const block = UploadBlock.parse({ id: randomUUID(), kind: 'upload', funnelId: randomUUID(), ...saidBlock });
  const clock = { ms: NOON, now: () => clock.ms };
  const limits = memoryLimiter();
  const records: Upload[] = [];
  const objects = new Map<string, Buffer>();
  const pseudonymizer = createClientPseudonymizer({
    secrets: { read: async () => 'a secret of the tests' },
    secretIds: () => ({ hash: 'hash', cdn: 'cdn' }),
    clock,
  });
  const handler = createHandler({
    clientRateLimiter: createClientRateLimiter({ rateLimiter: limits.limiter, pseudonymizer }),
    pseudonymizer,
    organizations: {
      find: async (id) => (id === organization.id ? organization : undefined),
    },
    blocks: { find: async (orgId, id) => (orgId === organization.id && id === block.id ? block : undefined) },
    uploads: { add: async (record) => void records.push(record) },
    files: { put: async (path, content) => void objects.set(path, Buffer.from(content)) },
    presign: async ({ path }) => ({
      url: 'https://uploads.example',
      fields: { key: path },
      expiresAt: '2026-05-31T13:00:00.000Z',
    }),
    limiter: limits.limiter,
    clock,
    ids: systemIdGenerator,
    ...ports,
  });
  const send = async (request: Request & { bytes?: Buffer }): Promise<Answer> => {
    const event = { ...proxyEvent(uploadOperation, request), ...(request.bytes && asBinary(request.bytes)) };
    const { statusCode, headers = {}, body } = await handler(event, {} as Context);
    const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
    return { status: statusCode, headers: Object.fromEntries(lowered), body: JSON.parse(body), text: body };
  };
  const place = { blockId: block.id, organizationId: organization.id };
  return {
    organization,
    block,
    place,
    clock,
    limits,
    records,
    objects,
    send,
    /** Sends a raw body with the Content-Type of a form. */
    sendBytes: (bytes: Buffer, boundary = BOUNDARY) =>
      send({ bytes, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }),
    sendFile: (content: Buffer, name = 'a.png', fields: Record<string, string> = place) =>
      send({ bytes: aForm({ fields, file: { name, content } }), headers: FORM_HEADERS }),
    announce: (said: Record<string, unknown>) =>
      send({
        body: { ...place, name: 'plan.pdf', size: 5_000_000, mimeType: 'application/pdf', ...said },
        headers: JSON_HEADERS,
      }),
  };
}

const asBinary = (bytes: Buffer): Partial<APIGatewayProxyEvent> => ({
  body: bytes.toString('base64'),
  isBase64Encoded: true,
});

export const BOUNDARY = '----WebKitFormBoundary7MA4YWxkTrZu0gW';
export const FORM_HEADERS = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
const JSON_HEADERS = { 'content-type': 'application/json' };

type Form = {
  fields?: Record<string, string>;
  file?: { name: string; content: Buffer; type?: string };
  boundary?: string;
};

/** The body of a form as browsers encode it, with the file as the last part. */
export function aForm({ fields = {}, file, boundary = BOUNDARY }: Form): Buffer {
  const parts = Object.entries(fields).map(([name, value]) => [`name="${name}"`, Buffer.from(value)] as const);
  const all = [
    ...parts,
    ...(file
      ? [[`name="file"; filename="${file.name}"\r\nContent-Type: ${file.type ?? 'image/png'}`, file.content] as const]
      : []),
  ];
  return Buffer.concat([
    ...all.flatMap(([head, content]) => [
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
      content,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
}
