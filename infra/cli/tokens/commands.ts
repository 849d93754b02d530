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
  'this command issues tokens for the local environment only. In a deployment, users sign in at the token issuer: ' +
  'the Cognito user pool of the deployment, or the issuer in the setting oidcIssuer';

const issue = command({
  name: 'issue',
  description: 'Issues and prints an access token for a subject.',
  options: {
    subject: requiredOption(
      '--subject <sub>',
      '`sub` claim of the token, 1 to 255 characters; "members add" gives this subject a role in an organization',
      parseSubject,
    ),
    hours: optionWithDefault(
      '--hours <count>',
      'hours until the token expires, 1 to 8760',
      parseCount(1, 24 * 365),
      TOKEN_LIFETIME_HOURS,
    ),
  },
  json: 'one JSON object: `token`, `expiresAt`, `userId`',
  help: `Works only in the local environment: the command rejects --stage.
To store the token in a shell variable:
  TOKEN=$(npm run -s admin -- tokens issue --subject kim)`,
  check: (_, { stage }) => (stage === undefined ? undefined : ONLY_LOCAL),
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
