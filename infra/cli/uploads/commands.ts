import type { Command } from 'commander';
import { systemClock } from '../../../shared/platform/clock.ts';
import type { CommandGroup } from '../cli-context.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { parseUuid } from '../program/options.ts';
import { printableJson, printableLine } from '../terminal/printable.ts';
import { createDynamoUploadLocator } from './dynamo-upload-locator.ts';
import { createFileLink } from './file-link.ts';
import { presignDownload } from './presign-download.ts';

type LinkOptions = EnvironmentOptions & { org?: string; json?: true };

/** `files link`: what visitors uploaded. */
export const files: CommandGroup = (program, { terminal, connect }) => {
  const group = program.command('files').description('Uploaded files: make a link to one.').helpCommand(false);

  group
    .command('link')
    .description('Makes a link by which anyone can download a file for ten minutes.')
    .argument('<uuid>', "the file's uuid, as a lead's data has it", parseUuid('file'))
    .option(
      '--org <id>',
      'the organization that it was uploaded for; without it, all are searched',
      parseUuid('organization'),
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
