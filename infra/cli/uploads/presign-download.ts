import { config } from '../../../shared/platform/config.ts';
import { presignAttachment } from '../../../shared/platform/signed-attachment.ts';
import { attachmentDisposition, type FileLinkPorts } from './file-link.ts';

export const presignDownload: FileLinkPorts['sign'] = (path, name) =>
  presignAttachment({ bucket: config('uploadsBucket'), key: path, disposition: attachmentDisposition(name) });
