import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import type { KeptUploads } from '../upload.ts';
import { parseUploadItem, uploadKey } from './upload-item.ts';

/** Single records of uploads, strongly consistent. */
export function dynamoFoundUploads(): Pick<KeptUploads, 'find'> {
  return {
    find: async (orgId, uuid) => {
      const Key = uploadKey({ orgId, uuid });
      const get = new GetCommand({ TableName: requireSetting('uploadsTable'), Key, ConsistentRead: true });
      const { Item } = await rethrowAsUnavailable('Uploaded files cannot be looked up. Try again shortly.', () =>
        dynamoDocumentClient().send(get),
      );
      return Item === undefined ? undefined : parseUploadItem(Item);
    },
  };
}
