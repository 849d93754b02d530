import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { formatDueAt } from '../../platform/due-index.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import { type KeptUploads, LEADS_PER_FILE_MAX, UNREFERENCED_TTL_MS } from '../upload.ts';
import { dynamoFoundUploads } from './dynamo-found-uploads.ts';
import { uploadKey } from './upload-item.ts';

/** As long as the submit that keeps a file may take until its lead is saved. */
const SAVED_WITHIN_MS = 3_600_000;
const NOT_AVAILABLE = 'Uploaded files cannot be looked up. Try again shortly.';

/** Records of uploads in the uploads table, as a submit needs them. */
export function dynamoKeptUploads(): KeptUploads {
  return {
    ...dynamoFoundUploads(),
    attach: (file, from, nowMs) => rethrowAsUnavailable(NOT_AVAILABLE, () => keep(file, from, nowMs)),
  };
}

const keep: KeptUploads['attach'] = async ({ orgId, uuid, funnelId, leadId, blockId }, from, nowMs) => {
  const lead = `${funnelId}/${leadId}`;
  const update = new UpdateCommand({
    TableName: requireSetting('uploadsTable'),
    Key: uploadKey({ orgId, uuid }),
    // What was not looked at in whole stays due for it, however often it is kept.
    UpdateExpression: `SET #state = :kept, dueAt = ${from === 'unverified' ? ':due, lookAt = :due' : 'if_not_exists(lookAt, :due)'} ADD leads :leads`,
    ConditionExpression: [
      blockId === undefined ? 'funnelId = :place' : 'blockId = :place',
      '(#state = :kept OR (#state = :from AND createdAtMs > :oldest))',
      '(attribute_not_exists(leads) OR size(leads) < :most OR contains(leads, :lead))',
    ].join(' AND '),
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: {
      ':kept': 'kept',
      ':from': from,
      ':place': blockId ?? funnelId,
      ':oldest': nowMs - UNREFERENCED_TTL_MS,
      ':due': formatDueAt(from === 'unverified' ? nowMs : nowMs + SAVED_WITHIN_MS),
      ':leads': new Set([lead]),
      ':lead': lead,
      ':most': LEADS_PER_FILE_MAX,
    },
  });
  return (await undefinedIfConditionFailed(dynamoDocumentClient().send(update))) !== undefined;
};
