import { paginateQuery, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { formatDueAt } from '../../platform/due-index.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { ErasableUploads } from '../erasable-uploads.ts';
import { RECHECK_DELAY_MS, type Upload } from '../upload.ts';
import { dynamoDueUploads } from './dynamo-due-uploads.ts';
import { dynamoFoundUploads } from './dynamo-found-uploads.ts';
import { parseUploadItem, uploadKey } from './upload-item.ts';

/** Records of uploads in the uploads table. */
export function dynamoErasableUploads(clock: Clock = systemClock): ErasableUploads {
  return {
    ...dynamoFoundUploads(),
    delete: dynamoDueUploads().delete,
    listByLeads: async function* (orgId, leads) {
      const { pk, sk } = uploadKey({ orgId, uuid: '' });
      const query = {
        TableName: requireSetting('uploadsTable'),
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
        ExpressionAttributeValues: { ':pk': pk, ':sk': sk },
      };
      for await (const { Items = [] } of paginateQuery({ client: dynamoDocumentClient() }, query))
        for (const upload of Items.map(parseUploadItem)) if (upload.leads.some((lead) => leads.has(lead))) yield upload;
    },
    detachLead: (upload, lead) =>
      update(upload, {
        UpdateExpression: 'SET erased = :erased, dueAt = :due DELETE leads :leads',
        ConditionExpression: 'contains(leads, :lead)',
        ExpressionAttributeValues: {
          ':erased': true,
          // What was not looked at yet stays due for it.
          ':due': formatDueAt(upload.inspected ? clock.now() + RECHECK_DELAY_MS : upload.dueAtMs),
          ':leads': new Set([lead]),
          ':lead': lead,
        },
      }),
    markDeleting: (upload, dueAtMs) =>
      update(upload, {
        UpdateExpression: 'SET #state = :removing, #name = :name, dueAt = :due REMOVE lookAt',
        ConditionExpression: '(attribute_not_exists(leads) OR size(leads) = :leads)',
        ExpressionAttributeNames: { '#name': 'name' },
        ExpressionAttributeValues: {
          ':removing': 'removing',
          ':name': '',
          ':due': formatDueAt(dueAtMs),
          ':leads': upload.leads.length,
        },
      }),
  };
}

type Change = Pick<
  UpdateCommandInput,
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

/** A change of the record as it was read. */
async function update(upload: Upload, change: Change): Promise<boolean> {
  const command = new UpdateCommand({
    TableName: requireSetting('uploadsTable'),
    Key: uploadKey(upload),
    ...change,
    ConditionExpression: `${change.ConditionExpression} AND dueAt = :seen AND #state = :state`,
    ExpressionAttributeNames: { ...change.ExpressionAttributeNames, '#state': 'state' },
    ExpressionAttributeValues: {
      ...change.ExpressionAttributeValues,
      ':seen': formatDueAt(upload.dueAtMs),
      ':state': upload.state,
    },
  });
  return (await undefinedIfConditionFailed(dynamoDocumentClient().send(command))) !== undefined;
}
