import { codeMessageSettings } from '../funnels/code-message-settings.ts';
import { HttpError } from '../http/errors.ts';
import { renderCodeMessage } from '../messages/code-message.ts';
import type { MessageSender } from '../messages/ports.ts';
import type { AuthenticatedLead, LeadAccessPorts, LeadRequest } from './authenticate-lead.ts';
import { hashCode } from './code.ts';
import type { CodeDestination } from './select-destinations.ts';
import { updateState } from './update-state.ts';
import { addCode, CODE_MINUTES, revokeCode, type VerificationState, verifiedAtMs } from './verification-state.ts';

export type IssueCodePorts = Pick<LeadAccessPorts, 'leads' | 'ids' | 'clock'> & {
  messages: MessageSender;
  generateCode: () => string;
};

type Delivery = {
  lead: AuthenticatedLead;
  destination: CodeDestination;
  /** The secret key of the code's hash. */
  secret: string;
  /** The organization's name. */
  organization: string;
};

/**
 * Stores a new code, then sends the message.
 *
 * @returns `already_verified` if a concurrent check has verified the value; in this case, nothing was sent
 * @throws HttpError 500 if the provider did not confirm that it accepted the message; errors of `updateState`
 */
export async function issueAndSendCode(
  ports: IssueCodePorts,
  request: LeadRequest,
  delivery: Delivery,
): Promise<'sent' | 'already_verified'> {
  const { lead, destination, secret } = delivery;
  const { log } = request;
  const code = ports.generateCode();
  const message = renderMessage(code, request, delivery);
  const codeHash = hashCode(secret, { ...lead.credentials, ...destination }, code);
  const issued = { field: destination.field, valueHash: destination.valueHash, codeHash };
  const before = await updateState<VerificationState | undefined>(ports, lead, async ({ state }) =>
    verifiedAtMs(state, destination) === undefined
      ? { next: addCode(state, issued, ports.clock.now()), result: state }
      : { next: undefined, result: undefined },
  );
  if (before === undefined) return 'already_verified';
  try {
    await ports.messages.send(message);
  } catch (cause) {
    await updateState(ports, lead, async ({ state }) => ({
      next: revokeCode(state, codeHash, before),
      result: undefined,
    })).catch((error: unknown) =>
      log.error('Sending a code failed, and the code could not be revoked.', error, {
        channel: destination.channel,
        orgId: lead.funnel.orgId,
        funnelId: lead.funnel.id,
      }),
    );
    log.recordMetric('CodeNotDelivered');
    throw new HttpError(500, 'Sending the message with the code failed. Try again.', { cause });
  }
  log.recordMetric(`CodesSent_${destination.channel}`);
  log.info('A verification code was sent.', {
    channel: destination.channel,
    orgId: lead.funnel.orgId,
    funnelId: lead.funnel.id,
  });
  return 'sent';
}

function renderMessage(code: string, { headers, log }: LeadRequest, { lead, destination, organization }: Delivery) {
  const { message, templateErrors } = renderCodeMessage({
    channel: destination.channel,
    destination: destination.destination,
    code,
    minutes: CODE_MINUTES,
    ...codeMessageSettings(lead.funnel, organization, headers.origin),
    acceptLanguage: headers['accept-language'],
  });
  for (const error of templateErrors) {
    log.error('A message template of the funnel cannot be used. The default template was used.', error, {
      funnelId: lead.funnel.id,
    });
  }
  return message;
}
