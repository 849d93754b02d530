import type { Command } from 'commander';
import type { Admin, Group } from '../admin.ts';
import { validateFile, writeSchema } from './file.ts';

/** `funnels …`: funnels and their versions, made from files that people write. */
export const funnels: Group = (program, admin) => {
  const group = program
    .command('funnels')
    .description('Funnels and their versions: make them from a JSON file, publish, roll back.')
    .helpCommand(false);
  addValidate(group, admin);
  addSchema(group, admin);
};

function addValidate(group: Command, { terminal }: Admin): void {
  group
    .command('validate')
    .description('Tells all that is wrong with a funnel file, by line and column. Changes nothing.')
    .argument('<file>', 'a JSON file; "funnels schema" tells what it holds')
    .option('--json', 'one JSON object: `valid`, `faults`, `more`')
    .action(async (file: string, _, command: Command) => {
      await validateFile(file, command.optsWithGlobals<{ json?: true }>(), terminal);
    });
}

function addSchema(group: Command, { terminal }: Admin): void {
  group
    .command('schema')
    .description('Prints the JSON Schema of a funnel file, for editors that complete and check what you write.')
    .action(() => writeSchema(terminal));
}
