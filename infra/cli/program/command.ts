import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext, CommandGroup } from '../cli-context.ts';
import type { EnvironmentOptions, TargetEnvironment } from '../environment/target-environment.ts';
import { type Output, renderOutput } from '../terminal/output.ts';
import { printableLine } from '../terminal/printable.ts';
import { confirm, type Terminal } from '../terminal/terminal.ts';

/** What a command gets besides its arguments and options. */
export type CommandContext = EnvironmentOptions &
  TargetEnvironment & {
    terminal: Terminal;
    json: boolean;
    /** If `yes` is false, asks the user. @throws UserError if the user does not agree or cannot be asked */
    confirm(question: string, yes: boolean): Promise<void>;
  };

/** One argument or option. `T` is the type of its parsed value. */
export type Parameter<T> = {
  /** The name as the help shows it: `<funnel>`, `[file]`, `--limit <count>`. */
  flags: string;
  description: string;
  /** Parses the given text. `before` is the value of the option's earlier occurrences, or else its default. */
  parse?(given: string, before: T | undefined): T;
  default?: { value: T; description?: string };
  choices?: readonly string[];
  isRequired?: boolean;
  /** Another name of the option, which the help does not show. */
  alias?: string;
  conflicts?: readonly string[];
};

type Parameters = Record<string, Parameter<unknown>>;
type Values<P extends Parameters> = { [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never };

/** The declaration of a command. The keys of `options` must be commander's names, such as `dryRun` for `--dry-run`. */
type CommandSpec<Args extends Parameters, Options extends Parameters> = {
  name: string;
  description: string;
  args?: Args;
  options?: Options;
  /** Describes what `--json` prints. Without this, the command has no `--json` option. */
  json?: string;
  /** Shown below the options. */
  help?: string;
  /** Whether the command runs without an environment, for example on a file. */
  isOffline?: boolean;
  /** Checks parameters that depend on each other. Returns a usage error or throws a UserError if they are not valid. */
  check?(input: Values<Args> & Values<Options>, environment: EnvironmentOptions): string | undefined;
  /** Returns the output. A command with streamed output writes to the terminal itself and returns nothing. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a command that streams returns nothing
  run(input: Values<Args> & Values<Options>, context: CommandContext): Promise<Output | void>;
};

// Without `NoInfer` in the return type, TypeScript would infer `T` as `unknown` from the type that the caller expects.

export const argument = <T = string>(
  flags: string,
  description: string,
  parse?: Parameter<T>['parse'],
): Parameter<NoInfer<T>> => ({
  flags,
  description,
  ...(parse && { parse }),
});

export const option = <T = string>(
  flags: string,
  description: string,
  parse?: Parameter<T>['parse'],
  more: Omit<Parameter<T | undefined>, 'flags' | 'description' | 'parse'> = {},
): Parameter<NoInfer<T> | undefined> => ({ flags, description, ...(parse && { parse }), ...more });

export const requiredOption = <T = string>(flags: string, description: string, parse?: Parameter<T>['parse']) =>
  ({ ...argument(flags, description, parse), isRequired: true }) satisfies Parameter<T>;

export const optionWithDefault = <T>(flags: string, description: string, parse: Parameter<T>['parse'], value: T) =>
  ({ ...argument(flags, description, parse), default: { value } }) satisfies Parameter<T>;

export const choice = <const T extends string>(flags: string, description: string, choices: readonly T[]) =>
  ({ flags, description, choices }) satisfies Parameter<T> as Parameter<T | undefined>;

export const choiceWithDefault = <const T extends string>(
  flags: string,
  description: string,
  choices: readonly T[],
  value: T,
) => ({ flags, description, choices, default: { value } }) satisfies Parameter<T> as Parameter<T>;

export const requiredChoice = <const T extends string>(flags: string, description: string, choices: readonly T[]) =>
  ({ flags, description, choices, isRequired: true }) satisfies Parameter<T> as Parameter<T>;

export const flag = (flags: string, description: string, conflicts: readonly string[] = []): Parameter<boolean> => ({
  flags,
  description,
  conflicts,
});

/** An option that may be given several times. @param byDefault explains in the help what applies without the option */
export const repeatable = <T>(
  flags: string,
  description: string,
  parse: (given: string) => T,
  byDefault = 'none',
): Parameter<T[]> => ({
  flags,
  description: `${description}; repeatable`,
  parse: (given, before = []) => [...before, parse(given)],
  default: { value: [], description: byDefault },
});

/** Creates the error that a `parse` function throws to end the command with a usage error. */
export const usageError = (sentence: string) => new InvalidArgumentError(sentence);

export const group =
  (name: string, description: string, commands: readonly CommandGroup[], help?: string): CommandGroup =>
  (parent, cli) => {
    const below = parent.command(name).description(description).helpCommand(false);
    if (help !== undefined) below.addHelpText('after', `\n${help}`);
    for (const add of commands) add(below, cli);
  };

export const command =
  <Args extends Parameters = Record<never, never>, Options extends Parameters = Record<never, never>>(
    spec: CommandSpec<Args, Options>,
  ): CommandGroup =>
  (parent, cli) => {
    const { args = {} as Args, options = {} as Options } = spec;
    const added = parent.command(spec.name).description(spec.description);
    for (const { flags, description, parse } of Object.values(args)) {
      if (parse) added.argument(flags, description, parse);
      else added.argument(flags, description);
    }
    for (const parameter of Object.values(options)) {
      added.addOption(toOption(parameter));
      if (parameter.alias) added.addOption(toOption({ ...parameter, flags: parameter.alias }).hideHelp());
    }
    if (spec.json !== undefined) added.option('--json', `print ${spec.json}`);
    if (spec.help !== undefined) added.addHelpText('after', `\n${spec.help}`);
    added.action((...called: unknown[]) => runCommand(spec, args, options, called, added, cli));
  };

function toOption({ flags, description, ...of }: Parameter<unknown>): Option {
  const about = of.isRequired ? `${description} (required)` : description;
  const added = new Option(flags, about).conflicts([...(of.conflicts ?? [])]);
  if (of.choices) added.choices(of.choices);
  if (of.parse) added.argParser(of.parse);
  if (of.default) added.default(of.default.value, of.default.description);
  return added.makeOptionMandatory(of.isRequired === true);
}

async function runCommand<Args extends Parameters, Options extends Parameters>(
  spec: CommandSpec<Args, Options>,
  args: Args,
  options: Options,
  called: readonly unknown[],
  added: Command,
  { terminal, connect }: CliContext,
): Promise<void> {
  const given = added.optsWithGlobals<EnvironmentOptions & Record<string, unknown>>();
  const { state, stage, outputs } = given;
  const environment = { state, stage, outputs };
  const isFlag = ({ flags, parse, choices }: Parameter<unknown>) => !parse && !choices && !flags.includes('<');
  const input = Object.fromEntries([
    ...Object.keys(args).map((name, at) => [name, called[at]]),
    ...Object.entries(options).map(([name, of]) => [name, isFlag(of) ? given[name] === true : given[name]]),
  ]) as Values<Args> & Values<Options>;
  const issue = spec.check?.(input, environment);
  if (issue !== undefined) added.error(`error: ${issue}`);
  const target = spec.isOffline ? { indexDelayMs: 0 } : await connect(environment);
  const json = given.json === true;
  const output = await spec.run(input, {
    ...environment,
    ...target,
    terminal,
    json,
    confirm: (question, yes) => confirm(terminal, printableLine(question), yes),
  });
  if (output) await renderOutput(output, terminal, json);
}
