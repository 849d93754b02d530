import * as z from 'zod/mini';
import { docsOnly, docText, withDocs } from '../../shared/http/schema-docs.ts';
import { uuid } from '../../shared/http/schemas.ts';
import { LINK_TOKEN } from '../../shared/notifications/link-token.ts';
import { NOTIFICATION_ADDRESS_ID } from '../example-ids.ts';

export const AddressPath = z.object({ orgId: uuid, addressId: uuid });

const LinkPath = z.object({
  token: withDocs(
    z.string().check(z.regex(LINK_TOKEN, 'must be the token of a link in a mail')),
    docText('The token of a link in a mail.'),
  ),
});

export const EXAMPLE_ADDRESS = docsOnly({
  id: NOTIFICATION_ADDRESS_ID,
  address: 'sales@northlight.example',
  mode: 'each_lead',
  timeZone: 'Europe/Berlin',
  language: 'de',
  status: 'unconfirmed',
  createdAt: '2026-03-02T09:30:00.000Z',
  updatedAt: '2026-03-02T09:30:00.000Z',
});

/** Has the form of a token, but is not valid, because the service did not create it. */
const EXAMPLE_TOKEN = docsOnly(
  'NYTRugahE1jUjgzRcmQv1S2b0o7xsBr1p-drfeq4B9GBLhKeIkjc44_AkOF6ZPAViMV8DQV_TTHT8LrkDVK13Rw-8_jB',
);

const EXAMPLE_PAGE = docsOnly('<!doctype html>…');

/** The common part of `show-link` and `follow-link`, the two operations for links in mails. */
export const LINK_OPERATION = {
  tag: 'Notifications',
  auth: 'public',
  body: 'none',
  isPage: true,
  request: { path: LinkPath },
  responses: { 200: z.string() },
  examples: docsOnly({ request: { path: { token: EXAMPLE_TOKEN } }, response: EXAMPLE_PAGE }),
  errors: [400, 503],
  limits: { timeoutSeconds: 10, memoryMb: 512, wafPerMinutePerIp: 60 },
} as const;
