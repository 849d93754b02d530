import { type Command, Option } from 'commander';
import { PERSONA_LANGUAGES } from '../../../shared/training/persona.ts';
import type { CliContext } from '../cli-context.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { onOrganization } from '../program/organization-argument.ts';
import { parseUuid } from '../program/parameters.ts';
import { addPersonaTo, listPersonas, type NewPersonaOptions, showPersona } from './personas.ts';

type Options = EnvironmentOptions & { json?: true };

/** Adds `personas add|list|show`. */
export function addPersonas(group: Command, admin: CliContext): void {
  const personas = group
    .command('personas')
    .description('Simulated customers: add one, list and show them.')
    .helpCommand(false);
  addAdd(personas, admin);
  addList(personas, admin);
  addShow(personas, admin);
}

function addAdd(personas: Command, { terminal, connect }: CliContext): void {
  const collect = (given: string, before: string[] = []) => [...before, given];
  onOrganization(personas, 'add', 'Gives an organization a customer, with an agent of its own at the voice provider.')
    .option('--name <text>', 'as the customer introduces themselves, 1 to 80 characters')
    .addOption(new Option('--language <code>', 'what they speak').choices(PERSONA_LANGUAGES))
    .option('--character <text>', 'who they are and how they talk, up to 500 characters')
    .option('--mood <text>', 'how they feel today, up to 200 characters')
    .option('--objection <text>', 'what they object, up to 200 characters; up to ten times', collect)
    .option('--voice <id>', "a voice of the provider's; without it, the provider's choice")
    .option('--file <json>', 'a file with these as `name`, `language`, `character`, `mood`, `objections`, `voiceId`')
    .option('--agent <id>', 'an agent that the provider has already, instead of a new one')
    .option('--json', 'one JSON object')
    .addHelpText(
      'after',
      '\nNeeded are --name, --language, --character and --mood, or a --file that tells them.\nWith --stage, the API key of the voice provider is taken from VOICE_API_KEY.',
    )
    .action(async (orgId: string, _, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & NewPersonaOptions>();
      await connect(options);
      await addPersonaTo(orgId, options, terminal);
    });
}

function addList(personas: Command, { terminal, connect }: CliContext): void {
  onOrganization(personas, 'list', 'Lists personas by name.')
    .option('--json', 'one JSON object: `personas`')
    .action(async (orgId: string, _, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      await connect(options);
      await listPersonas(orgId, options, terminal);
    });
}

function addShow(personas: Command, { terminal, connect }: CliContext): void {
  onOrganization(personas, 'show', 'Shows everything that is kept of a persona.')
    .argument('<persona>', 'id of the persona', parseUuid('persona'))
    .option('--json', 'one JSON object')
    .action(async (orgId: string, personaId: string, _, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      await connect(options);
      await showPersona(orgId, personaId, options, terminal);
    });
}
