import type { Command } from 'commander';
import { parseUuid } from './parameters.ts';

/** Adds a command to a group whose first argument is an organization. */
export const onOrganization = (group: Command, name: string, description: string): Command =>
  group
    .command(name)
    .description(description)
    .argument('<organization>', 'id of the organization', parseUuid('organization'));
