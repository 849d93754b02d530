import { Annotations, type Stack } from 'aws-cdk-lib';
import type { Settings } from './settings.ts';

/** The recipient of alarms, and spending limits. */
export type WatchSettings = {
  /** Mailbox for alarms and budget notifications. If absent, no notifications are sent. */
  alarmMail?: string;
  monthlyBudgetUsd?: number;
  /**
   * The account's monthly limit for SMS. A template cannot set the limit. An output contains the command that sets it.
   */
  monthlySmsUsd?: number;
};

const ADDRESS = /^[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}$/i;
const DOLLARS = /^[1-9]\d{0,7}$/;

/**
 * Reads `alarmMail`, `monthlyBudgetUsd` and `monthlySmsUsd` from CDK context.
 *
 * @throws Error with a message for the operator
 */
export function parseWatchSettings(context: Settings): WatchSettings {
  const alarmMail = context('alarmMail');
  if (alarmMail !== undefined && (typeof alarmMail !== 'string' || !ADDRESS.test(alarmMail))) {
    throw new Error('alarmMail: must be an address such as ops@example.com.');
  }
  const monthlyBudgetUsd = dollars('monthlyBudgetUsd', context);
  const monthlySmsUsd = dollars('monthlySmsUsd', context);
  if (monthlyBudgetUsd !== undefined && alarmMail === undefined) {
    throw new Error('monthlyBudgetUsd needs alarmMail, the mailbox for budget notifications.');
  }
  if (monthlySmsUsd !== undefined && context('smsSender') === undefined) {
    throw new Error('monthlySmsUsd needs smsSender, because no SMS is sent without a sender.');
  }
  return {
    ...(alarmMail !== undefined && { alarmMail }),
    ...(monthlyBudgetUsd !== undefined && { monthlyBudgetUsd }),
    ...(monthlySmsUsd !== undefined && { monthlySmsUsd }),
  };
}

/** Warns the operator at synthesis if alarms send no notifications or no budget is set. */
export function warnAboutAlarmRecipient(stack: Stack, { alarmMail, monthlyBudgetUsd }: WatchSettings): void {
  const warn = (id: string, sentence: string) => Annotations.of(stack).addWarningV2(`tributary:${id}`, sentence);
  if (alarmMail === undefined)
    warn('no-alarms', 'Alarms send no notifications. Set a mailbox with -c alarmMail=ops@example.com.');
  if (monthlyBudgetUsd === undefined)
    warn('no-budget', 'No budget is monitored. Set one in US dollars a month with -c monthlyBudgetUsd=500.');
}

function dollars(name: 'monthlyBudgetUsd' | 'monthlySmsUsd', context: Settings): number | undefined {
  const value = context(name);
  if (value === undefined) return undefined;
  if (!DOLLARS.test(String(value))) throw new Error(`${name}: must be whole US dollars, such as 500.`);
  return Number(value);
}
