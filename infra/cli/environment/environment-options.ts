import { type Command, InvalidArgumentError, Option } from 'commander';
import { DEFAULT_STATE } from '../../local/runtime/options.ts';
import { stageNameIssue } from '../../settings/stage-name.ts';
import { printableLine } from '../terminal/printable.ts';
import type { EnvironmentOptions } from './target-environment.ts';

export type { EnvironmentOptions };

export const addEnvironmentOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--state <folder>', 'state folder of the local environment, as given to "npm start"').default(
        DEFAULT_STATE,
        '.local',
      ),
    )
    .option(
      '--stage <name>',
      'deployed stage to use instead of the local environment, such as prod; needs AWS_REGION and AWS credentials',
      parseStageName,
    )
    .option(
      '--outputs <file>',
      'with --stage: file with the stack outputs that "npm run deploy" wrote (default: cdk-outputs.<stage>.json)',
    );

/** Parses the name of a stage. Rejects unsafe names, because file paths contain the name. */
function parseStageName(given: string): string {
  const issue = stageNameIssue(given);
  if (issue !== undefined) throw new InvalidArgumentError(issue);
  return given;
}

/** Returns the command line with which the user can run another command in the same environment. */
export function followUpCommand({ state, stage, outputs }: EnvironmentOptions, words: string): string {
  const given = [
    ['--state', state === DEFAULT_STATE ? undefined : state],
    ['--stage', stage],
    ['--outputs', outputs],
  ] as const;
  const options = given.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${quoted(value)}`]));
  return [`npm run admin -- ${words}`, ...options].join(' ');
}

/** Quotes a word for a POSIX shell. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${printableLine(word).replaceAll("'", "'\\''")}'`;
