import type { Group } from '../admin.ts';
import { addRehearse } from './rehearse-command.ts';

/** `training rehearse`: cases, personas and calls of sales training. */
export const training: Group = (program, admin) => {
  const group = program
    .command('training')
    .description('Sales training: rehearse a case on this machine.')
    .helpCommand(false);
  addRehearse(group, admin);
};
