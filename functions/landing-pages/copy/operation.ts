import * as z from 'zod/mini';
import { docsOnly, docText, withDocs } from '../../../shared/http/schema-docs.ts';
import { uuid } from '../../../shared/http/schemas.ts';
import { CopyRequest } from '../../../shared/landing-pages/copy-page.ts';
import { BLOCKS_MAX, COPIED_ASSETS_MAX, TEXT_BYTES_MAX } from '../../../shared/landing-pages/landing-page.ts';
import { operation } from '../../define-operation.ts';
import { ORGANIZATION_ID, OTHER_ORGANIZATION_ID, PAGE_ID } from '../../example-ids.ts';

const IdempotencyKey = withDocs(
  z.optional(uuid),
  docText(
    'Makes a copy repeatable for 24 hours: with the same body it gives the same page, whatever became of the first answer; with another body it is refused. It counts for this page and user alone.',
  ),
);

export const copyLandingPageOperation = operation('landing-pages/copy', {
  route: 'POST /api/v2/organizations/{orgId}/landing-pages/{pageId}/copy',
  tag: 'Landing pages',
  summary: 'Copy a landing page into an organization',
  description: docText(
    `The copy is a draft without a domain; it is there in whole, or not at all. Every id of the source in its texts is the copy’s own. In another organization, what refers to the source’s funnels, upload blocks and domains is cleared, so that no lead flows back; so is what refers to assets that are not copied, which within one organization stay the same files. A value that was nothing but such a reference is null, an address within CSS \`url()\` and an HTML attribute empty. With \`copyAssets\` a page has at most ${COPIED_ASSETS_MAX} assets; their bytes count as the target’s uploads of the day. One that is gone from the store is left out. At most ${BLOCKS_MAX} blocks, and ${TEXT_BYTES_MAX} bytes of text.`,
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
  errors: [400, 401, 403, 404, 429, 500, 503],
  grants: ['organizations:read', 'limits:consume', 'pages:copy'],
  limits: { timeoutSeconds: 29, memoryMb: 1_024, perMinutePerUser: 60 },
});
