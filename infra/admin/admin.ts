import type { Command } from 'commander';
import type { Place, PlaceOptions } from './place.ts';
import type { Terminal } from './terminal.ts';

/** What a command works with. */
export type Admin = {
  terminal: Terminal;
  /** Where the command's options say that it shall work; from then on adapters find their tables. */
  connect(options: PlaceOptions): Promise<Place>;
};

/** One group of commands, `leads` for example: adds its command and theirs below it. A group is a file of its own. */
export type Group = (program: Command, admin: Admin) => void;
