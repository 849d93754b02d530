import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { ROOT } from '../local/options.ts';

/** Adds the options by which a command is told where it works: see `place.ts`. */
export const withPlaceOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--state <folder>', 'the state folder of the runtime on this machine').default(
        join(ROOT, '.local'),
        '.local',
      ),
    )
    .option('--stage <name>', 'a deployed stage instead, with AWS_REGION and credentials in the environment')
    .addOption(
      new Option('--outputs <file>', 'what `npm run deploy` wrote of the stage').default(
        join(ROOT, 'cdk-outputs.json'),
        'cdk-outputs.json',
      ),
    );
