import { HttpError } from '../http/errors.ts';
import { renderCodeMessage } from '../messages/code-message.ts';
import type { AuthenticatedLead } from './authenticate-lead.ts';
import { hashCode } from './code.ts';
import type { ContactField } from './contact-fields.ts';
import type { SendCodePorts, SendCodeRequest } from './send-code.ts';
import { updateState } from './update-state.ts';
import { addCode, CODE_MINUTES, revokeCode, verifiedAtMs } from './verification-state.ts';

type Delivery = {
  lead: AuthenticatedLead;
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
export async function issueAndSendCode(
  ports: SendCodePorts,
  call: SendCodeRequest,
  delivery: Delivery,
): Promise<'sent' | 'verified_meanwhile'> {
  const { lead, contact } = delivery;
  const code = ports.generateCode();
  const message = renderMessage(code, call, delivery);
  const codeHash = hashCode(delivery.secret, { ...lead.credentials, ...contact }, code);
  const issued = { field: contact.field, valueHash: contact.valueHash, codeHash };
  const before = await updateState(ports, lead, async ({ state }) => {
    const isVerified = verifiedAtMs(state, contact) !== undefined;
    const next = isVerified ? undefined : addCode(state, issued, ports.clock.now());
    return { next, result: isVerified ? undefined : state };
  });
  if (before === undefined) return 'verified_meanwhile';
  try {
    await ports.messages.send(message);
    call.log.recordMetric(`CodesSent_${contact.channel}`);
    call.log.info('a code is sent', { channel: contact.channel, orgId: lead.funnel.orgId, funnelId: lead.funnel.id });
    return 'sent';
  } catch (cause) {
    await revokeUndeliveredCode(ports, call, lead, (state) => revokeCode(state, codeHash, before));
    call.log.recordMetric('CodeNotDelivered');
    throw new HttpError(500, 'The message with the code could not be delivered. Try again.', { cause });
  }
}

function renderMessage(code: string, { headers, log }: SendCodeRequest, { lead, contact, organization }: Delivery) {
  const { message, faults } = renderCodeMessage({
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
async function revokeUndeliveredCode(
  ports: SendCodePorts,
  { log }: SendCodeRequest,
  lead: AuthenticatedLead,
  change: (state: AuthenticatedLead['state']) => AuthenticatedLead['state'],
): Promise<void> {
  await updateState(ports, lead, async ({ state }) => ({ next: change(state), result: undefined })).catch(
    (cause: unknown) => log.error('a code that was not delivered could not be withdrawn', cause),
  );
}
