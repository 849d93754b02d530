import { group } from '../program/command.ts';
import { calls } from './calls-commands.ts';
import { cases } from './cases-commands.ts';
import { personas } from './personas-commands.ts';
import { rehearse } from './rehearse.ts';

export const training = group('training', 'Sales training: personas, cases, calls, and local rehearsals.', [
  personas,
  cases,
  calls,
  rehearse,
]);
