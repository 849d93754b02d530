import type { Command } from 'commander';
import type { EnvironmentOptions, TargetEnvironment } from './environment/target-environment.ts';
import type { Terminal } from './terminal/terminal.ts';

/** What a command works with. */
export type CliContext = {
  terminal: Terminal;
  /** Where the command's options say that it shall work; from then on adapters find their tables. */
  connect(options: EnvironmentOptions): Promise<TargetEnvironment>;
};

/** One group of commands, `leads` for example: adds its command and theirs below it. A group is a file of its own. */
export type CommandGroup = (program: Command, admin: CliContext) => void;
