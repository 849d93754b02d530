import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { onOrganization } from '../program/organization-argument.ts';
import { parseUuid } from '../program/parameters.ts';
import { listCases, moveCase, showCase } from './cases.ts';

type Options = EnvironmentOptions & { json?: true };

/** Adds `cases list|show|archive|restore`. */
export function addCases(group: Command, { terminal, connect }: CliContext): void {
  const cases = group
    .command('cases')
    .description('Cases that trainees rehearse: list, show, archive and restore them.')
    .helpCommand(false);
  onOrganization(cases, 'list', 'Lists cases, the newest first; archived ones are marked.')
    .option('--json', 'one JSON object: `cases`')
    .action(async (orgId: string, _, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      await connect(options);
      await listCases(orgId, options, terminal);
    });
  const onOne = (name: string, description: string, work: typeof showCase) =>
    onOrganization(cases, name, description)
      .argument('<case>', 'id of the case', parseUuid('case'))
      .option('--json', 'one JSON object')
      .action(async (orgId: string, caseId: string, _, command: Command) => {
        const options = command.optsWithGlobals<Options>();
        await connect(options);
        await work(orgId, caseId, options, terminal);
      });
  onOne('show', 'Shows everything that is kept of a case.', showCase);
  onOne(
    'archive',
    'Lets nobody open a session with a case any more; calls keep their copy of it.',
    (orgId, caseId, ...rest) => moveCase(orgId, caseId, 'archived', ...rest),
  );
  onOne('restore', 'Lets sessions be opened with an archived case again.', (orgId, caseId, ...rest) =>
    moveCase(orgId, caseId, 'active', ...rest),
  );
}
