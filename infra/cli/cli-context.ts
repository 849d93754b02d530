import type { Command } from 'commander';
import type { EnvironmentOptions, TargetEnvironment } from './environment/target-environment.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The ports of the CLI. Tests replace them. */
export type CliContext = {
  terminal: Terminal;
  /** Points the AWS clients and the settings to the environment that the options select. */
  connect(options: EnvironmentOptions): Promise<TargetEnvironment>;
};

/** Adds a command, or a group with its commands, to its parent. */
export type CommandGroup = (parent: Command, cli: CliContext) => void;
