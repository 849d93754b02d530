import { type Command, Option } from 'commander';
import * as z from 'zod/mini';
import { opaqueString } from '../../../shared/http/schemas.ts';
import { deriveUserId } from '../../../shared/organizations/user-id.ts';
import { readSetting } from '../../../shared/platform/settings.ts';
import { UserError } from '../../common/user-error.ts';
import { parseUuid, parseWith } from '../program/options.ts';

/** By which a command is told whom it is about. */
export type Who = { subject?: string; issuer?: string; user?: string };

/** As long as OpenID Connect lets a subject be. */
export const subjectOf = parseWith(opaqueString(1, 255), 'Give the subject of the tokens, 1 to 255 characters.');
const issuerOf = parseWith(
  z.url({ protocol: /^https?$/ }),
  "Give the issuer's address as its tokens name it, such as https://login.example.com/.",
);

/** Adds `--subject`, `--issuer` and `--user`. */
export const withWho = (command: Command): Command =>
  command
    .addOption(
      new Option('--subject <sub>', 'the user, as the `sub` of their tokens').argParser(subjectOf).conflicts('user'),
    )
    .addOption(
      new Option('--issuer <url>', "as the `iss` of their tokens (default: the place's own issuer)")
        .argParser(issuerOf)
        .conflicts('user'),
    )
    .addOption(new Option('--user <id>', 'the user by their id instead').argParser(parseUuid('user')));

/** Refuses what names nobody, as wrong usage. */
export function requireWho(command: Command): void {
  const { subject, user } = command.opts<Who>();
  if (subject === undefined && user === undefined) command.error('error: give --subject <sub> or --user <id>');
}

/** The user's id, once connected. @throws FriendlyError where the place does not tell its issuer */
export function userOf({ subject, issuer, user }: Who): string {
  if (subject === undefined) return user ?? '';
  const iss = issuer ?? readSetting('oidcIssuer');
  if (iss === undefined) {
    throw new UserError(
      'The outputs do not tell who issues the tokens: deploy again, or give the issuer with --issuer.',
    );
  }
  return deriveUserId(iss, subject);
}
