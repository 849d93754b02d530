import { requireSetting } from '../../../shared/platform/settings.ts';
import { presignAttachment } from '../presigned-download.ts';
import { attachmentDisposition, type FileLinkPorts } from './file-link.ts';

export const presignDownload: FileLinkPorts['sign'] = (path, name) =>
  presignAttachment({ bucket: requireSetting('uploadsBucket'), key: path, disposition: attachmentDisposition(name) });
