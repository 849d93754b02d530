import { type Command, Option } from 'commander';
import { UserError } from '../../common/user-error.ts';
import type { CliContext } from '../cli-context.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { parseUuid } from '../program/parameters.ts';
import { type RehearseOptions, rehearse } from './rehearse.ts';
import { rehearseTranscript } from './rehearse-transcript.ts';

type Options = EnvironmentOptions & RehearseOptions & { transcript?: string; organization?: string };

const scriptOption = (flag: string, description: string, ...others: string[]) =>
  new Option(flag, description).conflicts(others);

/** Adds `rehearse <case>`. */
export function addRehearse(group: Command, { terminal, connect }: CliContext): void {
  group
    .command('rehearse')
    .description('Rehearses a case of the demo with the rehearsal agent of this machine, up to the score.')
    .argument('<case>', 'id of a case of organization A, or of --organization', parseUuid('case'))
    .addOption(scriptOption('--good', 'the trainee asks, listens and does what the case asks for (default)', 'poor'))
    .addOption(scriptOption('--poor', 'the trainee talks about prices and lets nobody finish', 'unreachable'))
    .addOption(scriptOption('--unreachable', 'nobody answers the call', 'good'))
    .option(
      '--persona <id>',
      "the customer; without it, one of the demo's who speaks the case's language",
      parseUuid('persona'),
    )
    .addOption(
      new Option(
        '--transcript <file>',
        'scores your own words without a language model, and stores nothing: lines such as "trainee: ..." and "customer: ...", with or without a time such as [01:05] before',
      ).conflicts(['good', 'poor', 'unreachable', 'persona']),
    )
    .option('--organization <id>', "with --transcript: the case's organization", parseUuid('organization'))
    .option(
      '--json',
      'one JSON object: `script`, and `call` as the API reads it; or `transcript`, `analysis` and `score`',
    )
    .action(async (caseId: string, _, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      const { transcript, organization } = options;
      if (organization !== undefined && transcript === undefined) {
        command.error('error: --organization needs --transcript');
      }
      if (options.stage !== undefined) {
        throw new UserError(
          'Rehearsals work on a laptop only: a deployment has no rehearsal agent, its sessions are held by the voice provider.',
        );
      }
      await connect(options);
      if (transcript === undefined) await rehearse(caseId, options, terminal);
      else await rehearseTranscript(caseId, { ...options, transcript }, terminal);
    });
}
