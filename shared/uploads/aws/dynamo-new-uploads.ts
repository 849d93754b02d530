import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import type { NewUploads } from '../upload.ts';
import { toUploadItem } from './upload-item.ts';

/** Records of new uploads in the uploads table. */
export function dynamoNewUploads(): NewUploads {
  return {
    add: async (upload) => {
      const put = new PutCommand({ TableName: requireSetting('uploadsTable'), Item: toUploadItem(upload) });
      await rethrowAsUnavailable('Files cannot be stored. Try again shortly.', () => dynamoDocumentClient().send(put));
    },
  };
}
