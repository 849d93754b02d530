import { pageEndpoint } from '../../../shared/http/page-endpoint.ts';
import { type LinkPorts, showLink } from '../../../shared/notifications/follow-link.ts';
import { LINK_PAGE_STYLE } from '../../../shared/notifications/link-page.ts';
import { createDynamoOrganizationRepository } from '../../../shared/organizations/aws/dynamo-organization-repository.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { readNotificationSecret } from '../../wiring/notifications.ts';
import { showLinkOperation } from './operation.ts';

export const createHandler = (ports: LinkPorts) =>
  pageEndpoint(showLinkOperation, LINK_PAGE_STYLE, ({ path, headers }) =>
    showLink(ports, { token: path.token, acceptLanguage: headers['accept-language'] }),
  );

export const handler = createHandler({
  readSecret: readNotificationSecret,
  organizations: createDynamoOrganizationRepository(),
  clock: systemClock,
});
