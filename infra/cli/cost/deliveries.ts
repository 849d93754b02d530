import {
  ATTEMPT_BYTES,
  ATTEMPT_MS,
  ATTEMPTS_PER_MESSAGE,
  NOTIFICATION_MAIL_MS,
  STORED_MESSAGE_SHARE,
} from './assumptions.ts';
import { DELIVERIES, NOTIFICATION_MAIL } from './call-profiles.ts';
import { gigabyteSeconds } from './executions.ts';
import { readsOf, writesOf } from './pipeline-volumes.ts';
import { requestUnits, unitsOfCalls } from './tables.ts';
import { GB, KB, SECONDS, type Usage } from './usage.ts';
import type { Volumes } from './volumes.ts';

/** An endpoint without new messages leaves the due index after two minutes (`SETTLE_MS` of serve-endpoint.ts). */
const SETTLE_SECONDS = 120;

/**
 * Returns how often changes of leads are dispatched: once for the creation of a lead, once for all its later submits
 * together, and once for each verification code.
 */
const dispatchesOf = (of: Volumes): number => of.leads * (1 + Math.min(1, of.submits - 1)) + of.mailCodes + of.smsCodes;

/** Returns the number of messages about leads. */
export const messagesOf = (of: Volumes): number => of.webhookEndpoints * dispatchesOf(of);

export function deliveries(of: Volumes): Usage[] {
  const dispatches = dispatchesOf(of);
  const messages = messagesOf(of);
  const attempts = messages * ATTEMPTS_PER_MESSAGE;
  const settled = Math.min(attempts, of.organizations * of.webhookEndpoints * (SECONDS / SETTLE_SECONDS));
  const leadBytes = of.leadKb * KB;
  const larger = { lead: writesOf(leadBytes) - 1, message: writesOf(leadBytes * STORED_MESSAGE_SHARE) - 1 };
  const { changeDispatched, laneRaised, messageSent, endpointSettled } = DELIVERIES;
  return [
    ...requestUnits(dispatches, unitsOfCalls(changeDispatched.tables), 'leads'),
    ...requestUnits(dispatches, { reads: 0, writes: larger.lead }, 'leads'),
    ...requestUnits(messages, unitsOfCalls(laneRaised.tables), 'leads'),
    ...requestUnits(attempts, unitsOfCalls(messageSent.tables), 'leads'),
    // Two writes of the lane are billed with the size of the message: one adds the message, and one removes it.
    ...requestUnits(attempts, { reads: 0, writes: 2 * larger.message }, 'leads'),
    ...requestUnits(settled, unitsOfCalls(endpointSettled.tables), 'leads'),
    {
      price: 'lambdaGigabyteSecond',
      quantity: gigabyteSeconds(messageSent.function, attempts, ATTEMPT_MS),
      category: 'leads',
    },
    { price: 'gigabyteOut', quantity: (attempts * (leadBytes + ATTEMPT_BYTES)) / GB, category: 'leads' },
  ];
}

/** Returns the usage that mails about leads cause in tables and functions. `perUnitCosts` has the price per mail. */
export function notificationMails(of: Volumes): Usage[] {
  const { noticeStored, mailSent } = NOTIFICATION_MAIL;
  const tables = unitsOfCalls([...noticeStored.tables, ...mailSent.tables]);
  const larger = { reads: readsOf(of.leadKb * KB) - 1, writes: 0 };
  return [
    ...requestUnits(of.notificationMails, tables, 'leads'),
    ...requestUnits(of.notificationMails, larger, 'leads'),
    {
      price: 'lambdaGigabyteSecond',
      quantity: gigabyteSeconds(mailSent.function, of.notificationMails, NOTIFICATION_MAIL_MS),
      category: 'leads',
    },
  ];
}
