import type { Organization, Organizations } from '../directory/organization.ts';
import { type AddressGate, readSecret } from '../http/address-gate.ts';
import { Problem } from '../http/problem.ts';
import { rateLimited } from '../http/rate-limited.ts';
import type { Limiter } from '../limits/limiter.ts';
import { takeAll } from '../limits/take-all.ts';
import { codeMessage } from '../messages/code-message.ts';
import type { Channel, Messages } from '../messages/message.ts';
import type { Secrets } from '../platform/secrets.ts';
import { changeState } from './change-state.ts';
import { codeHashOf, destinationKeyOf } from './code.ts';
import { type ContactField, canonical } from './contacts.ts';
import { deliverable } from './deliverable.ts';
import { maskedDestination } from './mask.ts';
import { type LeadCall, type LeadPorts, type OpenLead, openLead } from './open-lead.ts';
import { sendWindows } from './send-limits.ts';
import { aim, CODE_MINUTES, issue, verifiedAtMs, withdraw } from './verification-state.ts';

export type SendPorts = LeadPorts & {
  organizations: Organizations;
  limiter: Limiter;
  addresses: Pick<AddressGate, 'keyOf'>;
  secrets: Secrets;
  /** The id of the secret that codes and destinations are hashed with. */
  secretId: () => string;
  messages: Messages;
  /** Digits of chance. */
  newCode: () => string;
};

export type SendCall = LeadCall & { channel: Channel | undefined };

/** Where the code went, and where else one can go. */
export type Sent = { channel: Channel; masked_destination: string; available_channels: Channel[] };

/**
 * Sends a code to one of the lead's contact fields, e-mail unless the caller asks for another channel. The code is
 * stored before the message goes, so that no message carries a code that nobody knows; a message that can't be
 * delivered takes its code and its share of the limits back. To a verified value nothing is sent.
 *
 * @throws Problem 404 and 403 for funnel and lead; 400 without a channel; 429; 500 when the message was not taken
 */
export async function sendCode(ports: SendPorts, call: SendCall): Promise<Sent> {
  const lead = await openLead(ports, call);
  const available = deliverable(lead.contacts, { ...lead, channels: ports.messages.channels() });
  const contact = chosen(available, call.channel);
  const { channel, destination } = contact;
  const sent: Sent = {
    channel,
    masked_destination: maskedDestination(channel, destination),
    available_channels: available.map((other) => other.channel),
  };
  if (verifiedAtMs(lead.state, contact) !== undefined) {
    await aimAt(ports, lead, contact);
    return sent;
  }
  await sendWithinLimits(ports, call, lead, contact);
  return sent;
}

function chosen(available: readonly ContactField[], asked: Channel | undefined): ContactField {
  const contact = asked === undefined ? available[0] : available.find(({ channel }) => channel === asked);
  if (contact !== undefined) return contact;
  throw available.length === 0
    ? new Problem(400, 'body.lead_id: the lead holds no value that a code can be sent to.')
    : new Problem(400, 'body.channel: is not available for this lead.');
}

/** So that the next check speaks of the field that the page has just asked for. */
async function aimAt(ports: SendPorts, lead: OpenLead, { field }: ContactField): Promise<void> {
  await changeState(ports, lead, async ({ state }) => ({
    next: state.lastSentTo === field ? undefined : aim(state, field),
    result: undefined,
  }));
}

async function sendWithinLimits(ports: SendPorts, call: SendCall, lead: OpenLead, contact: ContactField) {
  const [secret, organization, addressKey] = await Promise.all([
    readSecret(ports.secrets, ports.secretId()),
    organizationOf(ports.organizations, lead.funnel.orgId),
    ports.addresses.keyOf(call),
  ]);
  const { funnel, proof } = lead;
  const windows = sendWindows({
    channel: contact.channel,
    leadKey: `${proof.funnelId}/${proof.leadId}`,
    destinationKey: destinationKeyOf(secret, funnel.orgId, canonical(contact)),
    addressKey,
    orgId: funnel.orgId,
    funnelLimits: funnel.limits,
    organizationLimits: organization.limits,
  });
  const { refused, giveBack } = await takeAll(ports.limiter, windows, call.log);
  if (refused) throw rateLimited({ ...refused.window, ...refused.taken });
  const outcome = await issueAndDeliver(ports, call, { lead, contact, secret, organization }).catch(
    async (cause: unknown) => {
      await giveBack();
      throw cause;
    },
  );
  if (outcome === 'verified_meanwhile') await giveBack();
}

async function organizationOf(organizations: Organizations, orgId: string): Promise<Organization> {
  const organization = await organizations.find(orgId);
  if (organization === undefined) throw new Error(`The organization ${orgId} of a funnel is missing.`);
  return organization;
}

type Delivery = { lead: OpenLead; contact: ContactField; secret: string; organization: Organization };

async function issueAndDeliver(ports: SendPorts, call: SendCall, delivery: Delivery) {
  const { lead, contact, secret, organization } = delivery;
  const code = ports.newCode();
  const codeHash = codeHashOf(secret, { ...lead.proof, ...contact }, code);
  const issued = { field: contact.field, valueHash: contact.valueHash, codeHash };
  const before = await changeState(ports, lead, async ({ state }) => {
    const isVerified = verifiedAtMs(state, contact) !== undefined;
    const next = isVerified ? undefined : issue(state, issued, ports.clock.now());
    return { next, result: isVerified ? undefined : state };
  });
  if (before === undefined) return 'verified_meanwhile';
  const { message, faults } = codeMessage({
    channel: contact.channel,
    destination: contact.destination,
    code,
    minutes: CODE_MINUTES,
    organization: organization.name,
    funnel: lead.funnel,
    acceptLanguage: call.headers['accept-language'],
    origin: call.headers.origin,
  });
  for (const fault of faults) call.log.error('a text of the funnel’s own can not be used', fault);
  try {
    await ports.messages.send(message);
    return 'sent';
  } catch (cause) {
    await voidCode(ports, call, lead, (state) => withdraw(state, codeHash, before));
    call.log.count('CodeNotDelivered');
    throw new Problem(500, 'The message with the code could not be delivered; try again.', { cause });
  }
}

/** A code that can't be withdrawn is harmless: nobody was told it. */
async function voidCode(
  ports: SendPorts,
  { log }: SendCall,
  lead: OpenLead,
  change: (state: OpenLead['state']) => OpenLead['state'],
): Promise<void> {
  await changeState(ports, lead, async ({ state }) => ({ next: change(state), result: undefined })).catch(
    (cause: unknown) => log.error('a code that was not delivered could not be withdrawn', cause),
  );
}
