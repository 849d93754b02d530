import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { available } from '../../http/available.ts';
import { dynamo } from '../../platform/clients.ts';
import { config } from '../../platform/config.ts';
import type { KeptUploads } from '../upload.ts';
import { parseUploadItem, uploadKey } from './upload-item.ts';

/** Single records of uploads, strongly consistent. */
export function dynamoFoundUploads(): Pick<KeptUploads, 'find'> {
  return {
    find: async (orgId, uuid) => {
      const Key = uploadKey({ orgId, uuid });
      const get = new GetCommand({ TableName: config('uploadsTable'), Key, ConsistentRead: true });
      const { Item } = await available('Uploaded files cannot be looked up. Try again shortly.', () =>
        dynamo().send(get),
      );
      return Item === undefined ? undefined : parseUploadItem(Item);
    },
  };
}
