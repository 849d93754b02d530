import { systemClock } from '../../../shared/platform/clock.ts';
import { argument, command, group, option } from '../program/command.ts';
import { parseUuid } from '../program/parameters.ts';
import { createDynamoUploadLocator } from './dynamo-upload-locator.ts';
import { createFileLink } from './file-link.ts';
import { presignDownload } from './presign-download.ts';

const link = command({
  name: 'link',
  description: 'Creates a link with which anyone can download a file for ten minutes.',
  args: { uuid: argument('<uuid>', 'file id (`uuid` in the data of a lead)', parseUuid('file')) },
  options: {
    organization: option(
      '--organization <id>',
      "id of the file's organization (default: search all organizations)",
      parseUuid('organization'),
    ),
  },
  json: 'one JSON object: `url`, `name`, `size` (bytes), `mimeType`, `expiresAt`',
  run: async ({ uuid, organization: orgId }) => {
    const ports = { uploads: createDynamoUploadLocator(), sign: presignDownload, clock: systemClock };
    const found = await createFileLink(ports, { uuid, ...(orgId !== undefined && { orgId }) });
    const { url, name, mimeType, size, expiresAt } = found;
    const hint = `${name}, ${mimeType}, ${size.toLocaleString('en')} bytes; the link expires at ${expiresAt}.`;
    return { json: found, text: url, hints: [hint] };
  },
});

export const uploads = group('uploads', 'Uploaded files: create a download link.', [link]);
