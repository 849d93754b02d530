import type { Command } from 'commander';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createDynamoUploadLocator } from '../../cli/uploads/dynamo-upload-locator.ts';
import { createFileLink } from '../../cli/uploads/file-link.ts';
import { presignDownload } from '../../cli/uploads/presign-download.ts';
import type { Group } from '../admin.ts';
import { uuidOf } from '../options.ts';
import type { PlaceOptions } from '../place.ts';
import { printableJson, printableLine } from '../printable.ts';

type LinkOptions = PlaceOptions & { org?: string; json?: true };

/** `files link`: what visitors uploaded. */
export const files: Group = (program, { terminal, connect }) => {
  const group = program.command('files').description('Uploaded files: make a link to one.').helpCommand(false);

  group
    .command('link')
    .description('Makes a link by which anyone can download a file for ten minutes.')
    .argument('<uuid>', "the file's uuid, as a lead's data has it", uuidOf('file'))
    .option(
      '--org <id>',
      'the organization that it was uploaded for; without it, all are searched',
      uuidOf('organization'),
    )
    .option('--json', 'one JSON object: `url`, `name`, `size`, `mimeType`, `expiresAt`')
    .action(async (uuid: string, _, command: Command) => {
      const { org, json, ...place } = command.optsWithGlobals<LinkOptions>();
      await connect(place);
      const ports = { uploads: createDynamoUploadLocator(), sign: presignDownload, clock: systemClock };
      const link = await createFileLink(ports, { uuid, ...(org !== undefined && { orgId: org }) });
      await terminal.write(`${json ? printableJson(JSON.stringify(link)) : link.url}\n`);
      if (json) return;
      const size = link.size.toLocaleString('en');
      terminal.note(`${printableLine(link.name)}, ${link.mimeType}, ${size} bytes; until ${link.expiresAt}.`);
    });
};
