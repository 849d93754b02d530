import { pageEndpoint } from '../../../shared/http/page-endpoint.ts';
import { createDynamoRecipientRepository } from '../../../shared/notifications/aws/dynamo-recipient-repository.ts';
import { followLink, type LinkPorts } from '../../../shared/notifications/follow-link.ts';
import { LINK_PAGE_STYLE } from '../../../shared/notifications/link-page.ts';
import type { RecipientRepository } from '../../../shared/notifications/ports.ts';
import { createDynamoOrganizationRepository } from '../../../shared/organizations/aws/dynamo-organization-repository.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { readNotificationSecret } from '../../wiring/notifications.ts';
import { followLinkOperation } from './operation.ts';

export const createHandler = (ports: LinkPorts & { recipients: RecipientRepository }) =>
  pageEndpoint(followLinkOperation, LINK_PAGE_STYLE, ({ path, headers }) =>
    followLink(ports, { token: path.token, acceptLanguage: headers['accept-language'] }),
  );

export const handler = createHandler({
  readSecret: readNotificationSecret,
  organizations: createDynamoOrganizationRepository(),
  recipients: createDynamoRecipientRepository(),
  clock: systemClock,
});
