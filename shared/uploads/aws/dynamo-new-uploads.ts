import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { available } from '../../http/available.ts';
import { dynamo } from '../../platform/clients.ts';
import { config } from '../../platform/config.ts';
import type { NewUploads } from '../upload.ts';
import { toUploadItem } from './upload-item.ts';

/** Records of new uploads in the uploads table. */
export function dynamoNewUploads(): NewUploads {
  return {
    add: async (upload) => {
      const put = new PutCommand({ TableName: config('uploadsTable'), Item: toUploadItem(upload) });
      await available('Files cannot be stored. Try again shortly.', () => dynamo().send(put));
    },
  };
}
