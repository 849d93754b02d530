import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { ROOT } from '../../local/runtime/options.ts';
import { printableLine } from '../terminal/printable.ts';
import type { EnvironmentOptions } from './target-environment.ts';

const STATE = join(ROOT, '.local');

/** Adds the options by which a command is told where it works: see `place.ts`. */
export const addEnvironmentOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--state <folder>', 'the state folder of the runtime on this machine').default(STATE, '.local'),
    )
    .option('--stage <name>', 'a deployed stage instead, with AWS_REGION and credentials in the environment')
    .option('--outputs <file>', 'what `npm run deploy` wrote of the stage (default: cdk-outputs.<stage>.json)');

/** A command to go on with, as one types it: on the same place, by the options that this one was given. */
export function followUpCommand({ state, stage, outputs }: EnvironmentOptions, words: string): string {
  const given = [
    ['--state', state === STATE ? undefined : state],
    ['--stage', stage],
    ['--outputs', outputs],
  ] as const;
  const options = given.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${quoted(value)}`]));
  return [`npm run admin -- ${words}`, ...options].join(' ');
}

/** As shells take one word. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${printableLine(word).replaceAll("'", "'\\''")}'`;
