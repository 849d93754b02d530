import {
  type AddHelpTextContext,
  type AddHelpTextPosition,
  Command,
  type ErrorOptions,
  type ParseOptionsResult,
} from 'commander';
import { wrapText } from '../terminal/wrap-text.ts';

/** Width of the help if stdout is not a terminal. */
export const HELP_COLUMNS = 80;

type HelpText = string | ((context: AddHelpTextContext) => string | undefined);

declare module 'commander' {
  interface Command {
    /** Ends the command with a usage error that suggests similar options. */
    unknownOption(flag: string): void;
  }
}

/** Shows the help, with exit code 0, if no command is given. Reports unknown options before missing options. */
export class CliCommand extends Command {
  override createCommand(name?: string): Command {
    return new CliCommand(name);
  }

  /** Adds the text with wrapped lines, because commander wraps only the other parts of the help. */
  override addHelpText(position: AddHelpTextPosition, text: HelpText): this {
    const { helpWidth = HELP_COLUMNS } = this.configureHelp();
    return super.addHelpText(position, (context) =>
      wrapText((typeof text === 'string' ? text : text(context)) ?? '', helpWidth),
    );
  }

  override help(): never {
    return super.help({ error: false });
  }

  override parseOptions(argv: string[]): ParseOptionsResult {
    const parsed = super.parseOptions(argv);
    const [first] = parsed.unknown;
    const asksForHelp = parsed.unknown.some((arg) => arg === '-h' || arg === '--help');
    // Commander would report missing options first. If an option is misspelt, that would not help.
    if (first !== undefined && this.commands.length === 0 && !asksForHelp) this.unknownOption(first);
    return parsed;
  }

  override error(message: string, options?: ErrorOptions): never {
    const isUnknown = options?.code === 'commander.unknownCommand' && !message.includes('Did you mean');
    return super.error(isUnknown ? `${message}${this.suggestionsFor(this.args[0])}` : message, options);
  }

  /** Suggests the commands that begin with the given text. */
  private suggestionsFor(given: string | undefined): string {
    const names = this.commands.map((command) => command.name()).filter((name) => given && name.startsWith(given));
    if (names.length === 0) return '';
    return `\n(Did you mean ${names.length === 1 ? '' : 'one of '}${names.join(', ')}?)`;
  }
}
