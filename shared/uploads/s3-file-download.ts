import { config } from '../platform/config.ts';
import { signedAttachment } from '../platform/signed-attachment.ts';
import { attachment, type LinkPorts } from './file-link.ts';

export const signedDownload: LinkPorts['sign'] = (path, name) =>
  signedAttachment({ bucket: config('uploadsBucket'), key: path, disposition: attachment(name) });
