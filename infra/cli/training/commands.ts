import type { CommandGroup } from '../cli-context.ts';
import { addCalls } from './calls-commands.ts';
import { addCases } from './cases-commands.ts';
import { addPersonas } from './personas-commands.ts';
import { addRehearse } from './rehearse-command.ts';

/** `training personas|cases|calls|rehearse`: cases, personas and calls of sales training. */
export const training: CommandGroup = (program, admin) => {
  const group = program
    .command('training')
    .description('Sales training: personas, cases and calls; rehearse a case on this machine.')
    .helpCommand(false);
  addPersonas(group, admin);
  addCases(group, admin);
  addCalls(group, admin);
  addRehearse(group, admin);
};
