import { negotiateLanguage } from '../messages/language.ts';
import type { Organization } from '../organizations/organization.ts';
import type { Clock } from '../platform/clock.ts';
import { readSecretOrUnavailable } from '../platform/unavailable.ts';
import { type LinkPage, linkPage } from './link-page.ts';
import { type Link, verifyLinkToken } from './link-token.ts';
import { toIsoString } from './notice.ts';
import { MAIL_LANGUAGES, type MailLanguage } from './notification-address.ts';
import type { RecipientRepository } from './ports.ts';

export type LinkPorts = {
  /** Reads the secret with which the tokens of links are signed. */
  readSecret(): Promise<string>;
  organizations: { find(orgId: string): Promise<Pick<Organization, 'name'> | undefined> };
  clock: Clock;
};

type Visit = { token: string; acceptLanguage: string | undefined };

/**
 * Returns the page that a link in a mail shows. Changes nothing, because mail scanners open every link. The button of
 * the page sends the request that `followLink` handles.
 *
 * @throws UnavailableError if the signing secret or the organization can't be read
 */
export async function showLink(ports: LinkPorts, visit: Visit): Promise<string> {
  const { link, ...page } = await openLink(ports, visit);
  return linkPage(typeof link === 'string' ? { ...page, state: link } : { ...page, state: `ask_${link.purpose}` });
}

/**
 * Confirms the address of a valid link, or stops the mails to the address. Returns a page that shows the outcome.
 *
 * @throws UnavailableError if the signing secret or a table is unavailable
 */
export async function followLink(
  ports: LinkPorts & { recipients: RecipientRepository },
  visit: Visit,
): Promise<string> {
  const { link, ...page } = await openLink(ports, visit);
  if (typeof link === 'string') return linkPage({ ...page, state: link });
  return linkPage({ ...page, state: await use(ports, link) });
}

async function use(
  { recipients, clock }: { recipients: RecipientRepository; clock: Clock },
  { purpose, ...ids }: Link,
): Promise<LinkPage['state']> {
  const at = toIsoString(clock.now());
  if (purpose === 'confirm') return (await recipients.confirm(ids, at)) ? 'confirmed' : 'expired';
  await recipients.unsubscribe(ids, at);
  return 'unsubscribed';
}

/** Verifies the token. The returned `link` is the verified link, or the reason why it cannot be used. */
async function openLink({ readSecret, organizations, clock }: LinkPorts, { token, acceptLanguage }: Visit) {
  const verified = verifyLinkToken(await readSecretOrUnavailable(readSecret), token, clock.now());
  const organization = typeof verified === 'string' ? undefined : await organizations.find(verified.orgId);
  const isGone = typeof verified !== 'string' && organization === undefined;
  const language: MailLanguage = negotiateLanguage(acceptLanguage, MAIL_LANGUAGES, ['de']) === 'en' ? 'en' : 'de';
  return { link: isGone ? 'expired' : verified, organization: organization?.name ?? '', language } as const;
}
