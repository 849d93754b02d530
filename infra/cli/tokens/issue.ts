import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { deriveUserId } from '../../../shared/organizations/user-id.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { notReadable, UserError } from '../../common/user-error.ts';
import { createLocalIssuer, ISSUER } from '../../local/oidc/issuer.ts';
import { parseSecrets, SECRETS_FILE } from '../../local/runtime/secrets.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { printableLine } from '../terminal/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';

export type IssueOptions = { subject: string; hours: number; json?: true };

/** Issues a token that the runtime on this machine takes. @throws FriendlyError where its key can not be read */
export async function issue(
  { state, subject, hours, json }: EnvironmentOptions & IssueOptions,
  { write, note }: Terminal,
): Promise<void> {
  const file = join(resolve(state), SECRETS_FILE);
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw notReadable(file, cause);
  });
  const secrets = parseSecrets(text);
  if (secrets === undefined) throw new UserError(`${file} holds no key to sign with: start Tributary again.`);
  const seconds = hours * 3_600;
  const expiresAt = new Date(systemClock.now() + seconds * 1_000).toISOString();
  const token = await createLocalIssuer(secrets).sign(subject, { expiresInSeconds: seconds });
  const userId = deriveUserId(ISSUER, subject);
  if (json) return write(`${JSON.stringify({ token, expiresAt, userId })}\n`);
  await write(`${token}\n`);
  note(`For ${printableLine(subject)}, user ${userId}; until ${expiresAt}.`);
}
