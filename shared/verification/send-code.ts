import type { Funnel } from '../funnels/funnel.ts';
import { HttpError, tooManyRequests } from '../http/errors.ts';
import type { ClientPseudonymizer } from '../limits/client-pseudonym.ts';
import type { Channel } from '../messages/message.ts';
import type { Organization } from '../organizations/organization.ts';
import type { OrganizationRepository } from '../organizations/ports.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import { consumeAll } from '../platform/rate-limiter.ts';
import { readSecretOrUnavailable } from '../platform/unavailable.ts';
import {
  type AuthenticatedLead,
  authenticateLead,
  type LeadAccessPorts,
  type LeadRequest,
} from './authenticate-lead.ts';
import { hashDestination } from './code.ts';
import { normalizeRecipient } from './contact-fields.ts';
import type { IssueCodePorts } from './issue-and-send-code.ts';
import type { CodeDestination } from './select-destinations.ts';
import { sendRateLimits } from './send-rate-limits.ts';
import { updateState } from './update-state.ts';
import { setLastSentTo, verifiedAtMs } from './verification-state.ts';

export type SendCodePorts = LeadAccessPorts &
  IssueCodePorts & {
    organizations: Pick<OrganizationRepository, 'find'>;
    limiter: RateLimiter;
    pseudonymizer: ClientPseudonymizer;
    /** Reads the secret key of the hashes of codes and destinations. */
    readSecret: () => Promise<string>;
  };

export type SendCodeRequest = LeadRequest & { channel: Channel | undefined };

export type SendCodeResult = { channel: Channel; masked_destination: string; available_channels: Channel[] };

/**
 * Sends a code to a contact field of the lead, by the requested channel. If no channel is requested, uses e-mail if it
 * is available, otherwise SMS. Sends nothing to a verified value.
 *
 * @throws HttpError 404 and 403 for funnel and lead; 400 if the requested channel or every channel is unavailable; 429
 *   if a rate limit is exceeded or too many requests change the lead; 500 if the provider did not confirm the message
 * @throws UnavailableError when data, secrets or limits can't be read or written
 */
export async function sendCode(ports: SendCodePorts, request: SendCodeRequest): Promise<SendCodeResult> {
  const lead = await authenticateLead(ports, request);
  // Imported on first use, so that the cold start does not load the phone library (ADR 0017).
  const { selectDestinations } = await import('./select-destinations.ts');
  const available = selectDestinations(lead.contacts, { ...lead, channels: ports.messages.channels() });
  const destination = selectDestination(available, request.channel);
  if (verifiedAtMs(lead.state, destination) === undefined) {
    await sendWithinRateLimits(ports, request, lead, destination);
  } else {
    await recordSkippedSend(ports, lead, destination);
  }
  return {
    channel: destination.channel,
    masked_destination: destination.masked,
    available_channels: available.map(({ channel }) => channel),
  };
}

function selectDestination(available: readonly CodeDestination[], requested: Channel | undefined): CodeDestination {
  const found = requested === undefined ? available[0] : available.find(({ channel }) => channel === requested);
  if (found !== undefined) return found;
  throw available.length === 0
    ? new HttpError(400, 'The lead has no field to send a code to (body.lead_id).')
    : new HttpError(400, 'body.channel is not available for this lead. Omit it to use an available channel.');
}

/**
 * Stores the field as the last requested field, although its value is verified and no code is sent. The next check of a
 * code refers to the last requested field.
 */
async function recordSkippedSend(ports: SendCodePorts, lead: AuthenticatedLead, { field }: CodeDestination) {
  await updateState(ports, lead, async ({ state }) => ({
    next: state.lastSentTo === field ? undefined : setLastSentTo(state, field),
    result: undefined,
  }));
}

async function sendWithinRateLimits(
  ports: SendCodePorts,
  request: SendCodeRequest,
  lead: AuthenticatedLead,
  destination: CodeDestination,
): Promise<void> {
  const { funnel, credentials } = lead;
  const [secret, organization, client] = await Promise.all([
    readSecretOrUnavailable(ports.readSecret),
    getOrganization(ports.organizations, funnel),
    ports.pseudonymizer.pseudonymsOf(request),
  ]);
  const policies = sendRateLimits({
    channel: destination.channel,
    leadKey: `${credentials.funnelId}/${credentials.leadId}`,
    destinationKey: hashDestination(secret, funnel.orgId, normalizeRecipient(destination)),
    client,
    orgId: funnel.orgId,
    funnelLimits: funnel.limits,
    organizationLimits: organization.limits,
  });
  const { exceeded, refund } = await consumeAll(ports.limiter, policies, request.log);
  if (exceeded) throw tooManyRequests({ ...exceeded.policy, ...exceeded.result });
  const delivery = { lead, destination, secret, organization: organization.name };
  const { issueAndSendCode } = await import('./issue-and-send-code.ts');
  const outcome = await issueAndSendCode(ports, request, delivery).catch(async (cause: unknown) => {
    await refund();
    throw cause;
  });
  if (outcome === 'already_verified') await refund();
}

async function getOrganization(
  organizations: SendCodePorts['organizations'],
  { id, orgId }: Funnel,
): Promise<Organization> {
  const organization = await organizations.find(orgId);
  if (organization === undefined) throw new Error(`The organization ${orgId} of the funnel ${id} does not exist.`);
  return organization;
}
