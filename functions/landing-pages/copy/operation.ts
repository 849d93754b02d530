import * as z from 'zod/mini';
import { docsOnly, docText, withDocs } from '../../../shared/http/schema-docs.ts';
import { uuid } from '../../../shared/http/schemas.ts';
import { CopyRequest } from '../../../shared/landing-pages/copy-page.ts';
import { BLOCKS_MAX, COPIED_ASSETS_MAX, TEXT_BYTES_MAX } from '../../../shared/landing-pages/landing-page.ts';
import { declareOperation } from '../../declare-operation.ts';
import { ORGANIZATION_ID, OTHER_ORGANIZATION_ID, PAGE_ID } from '../../example-ids.ts';

const IdempotencyKey = withDocs(
  z.optional(uuid),
  docText(
    'Makes a request repeatable for 24 hours: a repetition with the same body returns the same page, even if the',
    'first response was lost. A repetition with another body is rejected, unless the first request failed. The',
    'key is valid for this page and user only.',
  ),
);

export const copyLandingPageOperation = declareOperation('landing-pages/copy', {
  route: 'POST /api/v2/organizations/{orgId}/landing-pages/{pageId}/copy',
  tag: 'Landing pages',
  summary: 'Copy a landing page into an organization',
  description: docText(
    'The copy is a draft without a domain. It is created completely or not at all. In its texts, ids of the source',
    'page and its blocks are replaced by ids of the copy. In a copy for another organization, references to the',
    'funnels, upload blocks and domains of the source organization are cleared, so that no lead is sent to the',
    'source organization. References to assets that are not copied are also cleared. A copy within one',
    'organization keeps these references. If a value consists only of a cleared reference, it becomes null. A',
    'cleared address in a CSS `url()` or an HTML attribute becomes empty. With `copyAssets`, a page can have at',
    `most ${COPIED_ASSETS_MAX} assets. Their bytes count as uploads of the target organization on that day.`,
    `An asset whose file no longer exists is omitted. A page can have at most ${BLOCKS_MAX} blocks and`,
    `${TEXT_BYTES_MAX} bytes of text.`,
  ),
  auth: { role: 'admin' },
  body: 'json',
  request: {
    path: z.object({ orgId: uuid, pageId: uuid }),
    headers: z.object({ 'idempotency-key': IdempotencyKey }),
    body: CopyRequest,
  },
  responses: { 201: z.object({ landingPageId: z.guid() }) },
  examples: docsOnly({
    request: {
      path: { orgId: ORGANIZATION_ID, pageId: PAGE_ID },
      headers: { 'idempotency-key': '4f9d0d0e-5a3c-4d8b-8c1b-7e2d6a9b3c44' },
      body: { targetOrganizationId: OTHER_ORGANIZATION_ID, copyAssets: true },
    },
    response: { landingPageId: 'c1f5a0de-2b77-4f0a-8b5e-1d9e4c7a3f55' },
  }),
  errors: [400, 401, 403, 404],
  grants: ['organizations:read', 'limits:consume', 'pages:copy'],
  limits: { timeoutSeconds: 29, memoryMb: 1_024, perMinutePerUser: 60 },
});
