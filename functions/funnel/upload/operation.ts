import * as z from 'zod/mini';
import type { FormFile } from '../../../shared/http/multipart/parse-multipart.ts';
import { docsOnly, docText, withDocs } from '../../../shared/http/schema-docs.ts';
import { uuid } from '../../../shared/http/schemas.ts';
import { FileRecord, FUNCTION_FILE_BYTES_MAX, LEADS_PER_FILE_MAX } from '../../../shared/uploads/upload.ts';
import { declareOperation } from '../../declare-operation.ts';
import { ORGANIZATION_ID, UPLOAD_BLOCK_ID } from '../../example-ids.ts';

/**
 * Maximum size of a form without its file, in bytes. 64 KB are for headers: a form has at most 8 parts, each with
 * headers of at most 8 KB. The other 32 KB are for the boundaries and the text fields.
 */
const FORM_OVERHEAD_BYTES_MAX = 96 * 1024;

// Each field has its own example, because Swagger UI ignores an example of the whole form. The property is `example`,
// not `examples`, because zod omits `examples` from the schema of a transformed value such as `uuid`.
const blockShape = {
  blockId: withDocs(uuid, {
    description: docText('The upload block of the funnel.'),
    example: docsOnly(UPLOAD_BLOCK_ID),
  }),
  organizationId: withDocs(uuid, {
    description: docText('The organization of the block.'),
    example: docsOnly(ORGANIZATION_ID),
  }),
};

const FormPart = withDocs(
  withDocs(
    z.custom<FormFile>().check(z.refine(({ content }) => content.length > 0, 'must not be empty')),
    docText(`At most ${FUNCTION_FILE_BYTES_MAX} bytes.`),
  ),
  { type: 'string', format: 'binary' },
);

const Announcement = withDocs(
  z.object({
    ...blockShape,
    name: z.string().check(z.minLength(1), z.maxLength(1_024)),
    size: withDocs(z.int().check(z.minimum(1)), docText('Exact size of the file in bytes.')),
    mimeType: z.string().check(z.minLength(1), z.maxLength(255)),
  }),
  { id: 'FileAnnouncement' },
);

const DirectUpload = withDocs(
  z.object({ url: z.string(), fields: z.record(z.string(), z.string()), expiresAt: z.string() }),
  {
    id: 'DirectUpload',
    description: docText(
      'Send an announced file as a form to `url`, with `fields` first and then the file in the part `file`.',
    ),
  },
);

export const uploadOperation = declareOperation('funnel/upload', {
  route: 'POST /api/v2/public/funnel/upload',
  tag: 'Funnel',
  summary: 'Upload a file for a funnel block',
  description: docText(
    'Send a form with the file. For a larger file, up to the limit of its block, send JSON that announces it;',
    'the response then contains the address to which to send the file. The file type is determined from the',
    'content and must match the file name. Location data is removed from the metadata of images and of MP4,',
    'MOV and M4A files. Other types, such as PDF and WebM, keep their metadata. A file that no lead refers to',
    'within 7 days is deleted. An announced file must be sent within 15 minutes. An organization can receive',
    '5 GB per UTC day, unless its limits differ. One client address can send 1 GB per UTC day. An announced',
    'file counts from its announcement, and stops counting if it is not sent in time. At most',
    `${LEADS_PER_FILE_MAX} leads can refer to one file.`,
  ),
  auth: 'public',
  body: 'multipart',
  request: { path: z.object({}), form: z.object({ file: FormPart, ...blockShape }), body: Announcement },
  responses: { 200: z.object({ data: FileRecord, upload: z.optional(DirectUpload) }) },
  examples: docsOnly({
    request: {
      form: { organizationId: ORGANIZATION_ID, blockId: UPLOAD_BLOCK_ID, file: '%PDF-1.7\n%%EOF\n' },
      body: {
        organizationId: ORGANIZATION_ID,
        blockId: UPLOAD_BLOCK_ID,
        name: 'plan.pdf',
        size: 8_000_000,
        mimeType: 'application/pdf',
      },
    },
    response: {
      data: {
        uuid: '9a4c6f1b-0c8e-4d57-a7a4-3d1d5e0f2b66',
        name: 'plan.pdf',
        size: 8_000_000,
        mimeType: 'application/pdf',
        storagePath: `${ORGANIZATION_ID}/${UPLOAD_BLOCK_ID}/9a4c6f1b-0c8e-4d57-a7a4-3d1d5e0f2b66.pdf`,
      },
      upload: {
        url: 'https://uploads.example.com/',
        fields: { key: 'incoming/plan.pdf', policy: 'eyJleHBpcmF0aW9uIjoi…' },
        expiresAt: '2026-03-02T10:30:00.000Z',
      },
    },
  }),
  errors: [400, 404, 503],
  grants: ['organizations:read', 'blocks:read', 'uploads:write', 'limits:consume'],
  limits: {
    timeoutSeconds: 20,
    memoryMb: 1_024,
    fileBytesMax: FUNCTION_FILE_BYTES_MAX,
    formBytesMax: FUNCTION_FILE_BYTES_MAX + FORM_OVERHEAD_BYTES_MAX,
    wafPerMinutePerIp: 60,
    perClient: [
      { limit: 30, windowSeconds: 60 },
      { limit: 300, windowSeconds: 3_600 },
    ],
  },
});
