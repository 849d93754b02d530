import { Problem } from '../http/problem.ts';
import { codeMessage } from '../messages/code-message.ts';
import { changeState } from './change-state.ts';
import { codeHashOf } from './code.ts';
import type { ContactField } from './contacts.ts';
import type { OpenLead } from './open-lead.ts';
import type { SendCall, SendPorts } from './send-code.ts';
import { CODE_MINUTES, issue, verifiedAtMs, withdraw } from './verification-state.ts';

type Delivery = {
  lead: OpenLead;
  contact: ContactField;
  /** Keys the hash of the code. */
  secret: string;
  /** The organization's name. */
  organization: string;
};

/**
 * Stores a new code and hands the message over; loaded when the first message goes, with all its words.
 *
 * @throws Problem 500 when the message was not taken: its code is void then
 */
export async function deliverCode(
  ports: SendPorts,
  call: SendCall,
  delivery: Delivery,
): Promise<'sent' | 'verified_meanwhile'> {
  const { lead, contact } = delivery;
  const code = ports.newCode();
  const message = messageWith(code, call, delivery);
  const codeHash = codeHashOf(delivery.secret, { ...lead.proof, ...contact }, code);
  const issued = { field: contact.field, valueHash: contact.valueHash, codeHash };
  const before = await changeState(ports, lead, async ({ state }) => {
    const isVerified = verifiedAtMs(state, contact) !== undefined;
    const next = isVerified ? undefined : issue(state, issued, ports.clock.now());
    return { next, result: isVerified ? undefined : state };
  });
  if (before === undefined) return 'verified_meanwhile';
  try {
    await ports.messages.send(message);
    call.log.count(`CodesSent_${contact.channel}`);
    call.log.info('a code is sent', { channel: contact.channel, orgId: lead.funnel.orgId, funnelId: lead.funnel.id });
    return 'sent';
  } catch (cause) {
    await voidCode(ports, call, lead, (state) => withdraw(state, codeHash, before));
    call.log.count('CodeNotDelivered');
    throw new Problem(500, 'The message with the code could not be delivered. Try again.', { cause });
  }
}

function messageWith(code: string, { headers, log }: SendCall, { lead, contact, organization }: Delivery) {
  const { message, faults } = codeMessage({
    channel: contact.channel,
    destination: contact.destination,
    code,
    minutes: CODE_MINUTES,
    organization,
    funnel: lead.funnel,
    acceptLanguage: headers['accept-language'],
    origin: headers.origin,
  });
  for (const fault of faults) log.error('a text of the funnel’s own can not be used', fault);
  return message;
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
