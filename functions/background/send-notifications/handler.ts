import { createDynamoFunnelRepository } from '../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { createDynamoLeadIndexReader } from '../../../shared/leads/aws/dynamo-lead-index-reader.ts';
import { sendEmail } from '../../../shared/messages/aws/ses-email.ts';
import { createDynamoAddressReader } from '../../../shared/notifications/aws/dynamo-address-repository.ts';
import { createDynamoNoticeRepository } from '../../../shared/notifications/aws/dynamo-notice-repository.ts';
import { type SendNoticesPorts, sendNotices } from '../../../shared/notifications/send-notices.ts';
import { createDynamoOrganizationRepository } from '../../../shared/organizations/aws/dynamo-organization-repository.ts';
import { dynamoClient } from '../../../shared/platform/aws/dynamo-client.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createJsonLogger } from '../../../shared/platform/logger.ts';
import { findUpload } from '../../../shared/uploads/aws/dynamo-upload-repository.ts';
import { leadMailDelaySeconds, readNotificationSecret } from '../../wiring/notifications.ts';

/** Fails at the end if a mail was not sent, or a sent mail was not recorded, so that the function's alarm fires. */
export const createHandler = (ports: SendNoticesPorts) => async (): Promise<void> => {
  const counts = await sendNotices(ports);
  for (const [outcome, count] of counts) ports.log.recordMetric(`Notifications_${outcome}`, count);
  const failed = [...counts]
    .filter(([outcome]) => outcome !== 'sent')
    .map(([outcome, count]) => `${outcome}: ${count}`);
  if (failed.length > 0)
    throw new Error(
      `Some notification mails were not sent or not recorded (${failed.join(', ')}). A later run retries the mails that were not given up.`,
    );
};

export const handler = createHandler({
  notices: createDynamoNoticeRepository(),
  addresses: createDynamoAddressReader(),
  organizations: createDynamoOrganizationRepository(),
  funnels: createDynamoFunnelRepository(),
  leads: createDynamoLeadIndexReader(dynamoClient()),
  findFileName: async (orgId, uuid) => (await findUpload(orgId, uuid))?.name,
  readSecret: readNotificationSecret,
  send: sendEmail,
  leadDelaySeconds: leadMailDelaySeconds(),
  clock: systemClock,
  log: createJsonLogger({ function: 'background/send-notifications' }),
});
