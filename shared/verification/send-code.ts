import { HttpError } from '../http/errors.ts';
import { tooManyRequests } from '../http/too-many-requests.ts';
import { type ClientRateLimiter, readSecretOrUnavailable } from '../limits/client-rate-limiter.ts';
import type { Channel, MessageSender } from '../messages/message.ts';
import type { Organization, OrganizationRepository } from '../organizations/organization.ts';
import { consumeAll } from '../platform/consume-all.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { SecretStore } from '../platform/secret-store.ts';
import {
  type AuthenticatedLead,
  authenticateLead,
  type LeadAccessPorts,
  type LeadRequest,
} from './authenticate-lead.ts';
import { hashDestination } from './code.ts';
import { type ContactField, normalizeRecipient } from './contact-fields.ts';
import type { CodeDestination } from './select-destinations.ts';
import { sendRateLimits } from './send-rate-limits.ts';
import { updateState } from './update-state.ts';
import { setLastSentTo, verifiedAtMs } from './verification-state.ts';

export type SendCodePorts = LeadAccessPorts & {
  organizations: OrganizationRepository;
  limiter: RateLimiter;
  addresses: Pick<ClientRateLimiter, 'pseudonymOf'>;
  secrets: SecretStore;
  /** The id of the secret that codes and destinations are hashed with. */
  secretId: () => string;
  messages: MessageSender;
  /** Digits of chance. */
  generateCode: () => string;
};

export type SendCodeRequest = LeadRequest & { channel: Channel | undefined };

/** Where the code went, and where else one can go. */
export type SendCodeResult = { channel: Channel; masked_destination: string; available_channels: Channel[] };

/**
 * Sends a code to one of the lead's contact fields, e-mail unless the caller asks for another channel. The code is
 * stored before the message goes, so that no message carries a code that nobody knows; a message that can't be
 * delivered takes its code and its share of the limits back. To a verified value nothing is sent.
 *
 * @throws Problem 404 and 403 for funnel and lead; 400 without a channel; 429; 500 when the message was not taken
 */
export async function sendCode(ports: SendCodePorts, call: SendCodeRequest): Promise<SendCodeResult> {
  const lead = await authenticateLead(ports, call);
  const { selectDestinations: deliverable } = await import('./select-destinations.ts');
  const available = deliverable(lead.contacts, { ...lead, channels: ports.messages.channels() });
  const contact = selectDestination(available, call.channel);
  const sent: SendCodeResult = {
    channel: contact.channel,
    masked_destination: contact.masked,
    available_channels: available.map((other) => other.channel),
  };
  if (verifiedAtMs(lead.state, contact) !== undefined) {
    await recordLastSentTo(ports, lead, contact);
    return sent;
  }
  await sendWithinLimits(ports, call, lead, contact);
  return sent;
}

function selectDestination(available: readonly CodeDestination[], asked: Channel | undefined): CodeDestination {
  const contact = asked === undefined ? available[0] : available.find(({ channel }) => channel === asked);
  if (contact !== undefined) return contact;
  throw available.length === 0
    ? new HttpError(400, 'The lead has no field to send a code to (body.lead_id).')
    : new HttpError(400, 'body.channel is not available for this lead.');
}

/** So that the next check speaks of the field that the page has just asked for. */
async function recordLastSentTo(ports: SendCodePorts, lead: AuthenticatedLead, { field }: ContactField): Promise<void> {
  await updateState(ports, lead, async ({ state }) => ({
    next: state.lastSentTo === field ? undefined : setLastSentTo(state, field),
    result: undefined,
  }));
}

async function sendWithinLimits(
  ports: SendCodePorts,
  call: SendCodeRequest,
  lead: AuthenticatedLead,
  contact: ContactField,
) {
  const [secret, organization, addressKeys] = await Promise.all([
    readSecretOrUnavailable(ports.secrets, ports.secretId()),
    getOrganization(ports.organizations, lead.funnel.orgId),
    ports.addresses.pseudonymOf(call),
  ]);
  const { funnel, credentials: proof } = lead;
  const windows = sendRateLimits({
    channel: contact.channel,
    leadKey: `${proof.funnelId}/${proof.leadId}`,
    destinationKey: hashDestination(secret, funnel.orgId, normalizeRecipient(contact)),
    addressKeys,
    orgId: funnel.orgId,
    funnelLimits: funnel.limits,
    organizationLimits: organization.limits,
  });
  const { exceeded: refused, refund: giveBack } = await consumeAll(ports.limiter, windows, call.log);
  if (refused) throw tooManyRequests({ ...refused.policy, ...refused.result });
  const { issueAndSendCode: deliverCode } = await import('./issue-and-send-code.ts');
  const outcome = await deliverCode(ports, call, { lead, contact, secret, organization: organization.name }).catch(
    async (cause: unknown) => {
      await giveBack();
      throw cause;
    },
  );
  if (outcome === 'verified_meanwhile') await giveBack();
}

async function getOrganization(organizations: OrganizationRepository, orgId: string): Promise<Organization> {
  const organization = await organizations.find(orgId);
  if (organization === undefined) throw new Error(`There is no organization ${orgId}.`);
  return organization;
}
