import { type Command, Option } from 'commander';
import { CallStatus } from '../../../shared/training/call.ts';
import type { CliContext } from '../cli-context.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { onOrganization } from '../program/organization-argument.ts';
import { parseCount, parseUuid } from '../program/parameters.ts';
import { type CallListOptions, linkRecording, listCalls, showCall } from './calls.ts';
import { addErase } from './erase-command.ts';

/** Adds `calls list|show|recording|erase`. */
export function addCalls(group: Command, admin: CliContext): void {
  const calls = group
    .command('calls')
    .description('Calls that trainees made: list them, show one, make a link to its recording, erase them.')
    .helpCommand(false);
  addList(calls, admin);
  const onOne = addOnOne(calls, admin);
  onOne('show', 'Shows everything of a call: score, quotes, what was said.', 'as the API reads it', showCall);
  onOne(
    'recording',
    'Makes a link by which anyone can download the recording for ten minutes.',
    '`url`, `expiresAt`, `name`, `durationSeconds`',
    linkRecording,
  );
  addErase(calls, admin);
}

function addList(calls: Command, { terminal, connect }: CliContext): void {
  onOrganization(calls, 'list', 'Lists calls, the newest first.')
    .addOption(new Option('--status <status>', 'only these').choices(CallStatus.options))
    .option('--user <id>', 'only those of this user', parseUuid('user'))
    .option('--limit <count>', 'how many', parseCount(1, 1_000), 50)
    .option('--after <call>', 'goes on where an earlier list ended', parseUuid('call'))
    .option('--json', 'one JSON object: `calls`, and `next` for --after')
    .action(async (orgId: string, _, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & CallListOptions>();
      await connect(options);
      await listCalls(orgId, options, terminal);
    });
}

const addOnOne =
  (calls: Command, { terminal, connect }: CliContext) =>
  (name: string, description: string, json: string, work: typeof showCall): void => {
    onOrganization(calls, name, description)
      .argument('<call>', 'id of the call', parseUuid('call'))
      .option('--json', `one JSON object: ${json}`)
      .action(async (orgId: string, callId: string, _, command: Command) => {
        const options = command.optsWithGlobals<EnvironmentOptions & { json?: true }>();
        await connect(options);
        await work(orgId, callId, options, terminal);
      });
  };
