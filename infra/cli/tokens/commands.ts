import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { deriveUserId } from '../../../shared/organizations/user-id.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { notReadable, UserError } from '../../common/user-error.ts';
import { createLocalIssuer, ISSUER, TOKEN_LIFETIME_HOURS } from '../../local/oidc/issuer.ts';
import { parseSecrets, SECRETS_FILE } from '../../local/runtime/secrets.ts';
import { parseSubject } from '../members/user-options.ts';
import { command, group, optionWithDefault, requiredOption } from '../program/command.ts';
import { parseCount } from '../program/parameters.ts';

const ONLY_LOCAL =
  'This command issues tokens for the local environment only. In a deployment, users sign in at the token issuer: ' +
  'the Cognito user pool of the deployment, or the issuer in the setting oidcIssuer.';

const issue = command({
  name: 'issue',
  description: 'Issues an access token for a subject, and prints it.',
  options: {
    subject: requiredOption(
      '--subject <sub>',
      'subject of the token; "members add" gives the subject a role',
      parseSubject,
    ),
    hours: optionWithDefault(
      '--hours <count>',
      'hours until the token expires',
      parseCount(1, 24 * 365),
      TOKEN_LIFETIME_HOURS,
    ),
  },
  json: 'one JSON object: `token`, `expiresAt`, `userId`',
  help: `Works only in the local environment: the command rejects --stage.
To store the token in a shell variable:
  TOKEN=$(npm run -s admin -- tokens issue --subject kim)`,
  check: (_, { stage }) => {
    if (stage !== undefined) throw new UserError(ONLY_LOCAL);
    return undefined;
  },
  run: async ({ subject, hours }, { state }) => {
    const file = join(resolve(state), SECRETS_FILE);
    const text = await readFile(file, 'utf8').catch((cause: unknown) => {
      throw notReadable(file, cause);
    });
    const secrets = parseSecrets(text);
    if (secrets === undefined) throw new UserError(`${file} holds no valid signing key: start Tributary again.`);
    const seconds = hours * 3_600;
    const expiresAt = new Date(systemClock.now() + seconds * 1_000).toISOString();
    const token = await createLocalIssuer(secrets).sign(subject, { expiresInSeconds: seconds });
    const userId = deriveUserId(ISSUER, subject);
    return {
      json: { token, expiresAt, userId },
      text: token,
      hints: [`For ${subject}, user ${userId}; expires at ${expiresAt}.`],
    };
  },
});

export const tokens = group('tokens', 'Access tokens for the local environment: issue one for any subject.', [issue]);
