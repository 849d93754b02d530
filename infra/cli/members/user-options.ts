import * as z from 'zod/mini';
import { opaqueString } from '../../../shared/http/schemas.ts';
import { deriveUserId } from '../../../shared/organizations/user-id.ts';
import { readSetting } from '../../../shared/platform/settings.ts';
import { UserError } from '../../common/user-error.ts';
import { option } from '../program/command.ts';
import { parseUuid, parseWith } from '../program/parameters.ts';

/** OpenID Connect limits a subject to 255 characters. */
export const parseSubject = parseWith(opaqueString(1, 255), 'Give the `sub` claim of the tokens, 1 to 255 characters.');
export const parseIssuer = parseWith(
  z.url({ protocol: /^https?$/ }),
  'Give the `iss` claim of the tokens, such as https://login.example.com/.',
);

type User = { subject: string | undefined; issuer: string | undefined; user: string | undefined };

export const userOptions = {
  subject: option('--subject <sub>', 'the user whose access tokens have this `sub` claim', parseSubject, {
    conflicts: ['user'],
  }),
  issuer: option(
    '--issuer <url>',
    'with --subject: the `iss` claim of these access tokens (default: the issuer of the local environment or stage)',
    parseIssuer,
    {
      conflicts: ['user'],
    },
  ),
  user: option(
    '--user <id>',
    'id of the user, instead of --subject and --issuer; see "members list"',
    parseUuid('user'),
  ),
};

export const checkUser = ({ subject, user }: User) =>
  subject === undefined && user === undefined ? 'give --subject <sub> or --user <id>' : undefined;

/** @throws UserError for a subject without an issuer (`--issuer` or the issuer of the environment) */
export function resolveUserId({ subject, issuer, user }: User): string {
  if (subject === undefined) return user ?? '';
  const from = issuer ?? readSetting('oidcIssuer');
  if (from !== undefined) return deriveUserId(from, subject);
  throw new UserError(
    'The outputs of the deployment do not name the token issuer: deploy again, or give the issuer with --issuer.',
  );
}
