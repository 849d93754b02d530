import {
  type AddHelpTextContext,
  type AddHelpTextPosition,
  Command,
  type ErrorOptions,
  type ParseOptionsResult,
} from 'commander';
import { wrapText } from '../terminal/wrap-text.ts';

/** Of help that goes to no terminal: what it is pasted into has as many. */
export const HELP_COLUMNS = 80;

type HelpText = string | ((context: AddHelpTextContext) => string | undefined);

declare module 'commander' {
  interface Command {
    /** Ends the command as wrong usage, with the options that resemble the flag. */
    unknownOption(flag: string): void;
  }
}

/** Whoever names no command is shown what there is, which is no failure; what is misspelt is said before what is missing. */
export class CliCommand extends Command {
  override createCommand(name?: string): Command {
    return new CliCommand(name);
  }

  /** Commander breaks the lines of everything else. */
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
    // Commander would say first which options are missing, and one that is misspelt is missing too.
    if (first !== undefined && this.commands.length === 0 && !asksForHelp) this.unknownOption(first);
    return parsed;
  }

  override error(message: string, options?: ErrorOptions): never {
    const isUnknown = options?.code === 'commander.unknownCommand' && !message.includes('Did you mean');
    return super.error(isUnknown ? `${message}${this.beginningWith(this.args[0])}` : message, options);
  }

  /** Suggests the commands whose names are longer than what was given. */
  private beginningWith(given: string | undefined): string {
    const names = this.commands.map((command) => command.name()).filter((name) => given && name.startsWith(given));
    if (names.length === 0) return '';
    return `\n(Did you mean ${names.length === 1 ? '' : 'one of '}${names.join(', ')}?)`;
  }
}
