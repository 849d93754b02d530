import { Annotations, type Stack } from 'aws-cdk-lib';
import type { Settings } from './settings.ts';

/** Recipients of alarms, and limits of spending. */
export type WatchSettings = {
  /** Absent: alarms are raised without a notification. */
  alarmMail?: string;
  monthlyBudgetUsd?: number;
  /** The account's own limit for SMS, which a template cannot set. */
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
    throw new Error('monthlySmsUsd needs smsSender: without one no SMS is sent.');
  }
  return {
    ...(alarmMail !== undefined && { alarmMail }),
    ...(monthlyBudgetUsd !== undefined && { monthlyBudgetUsd }),
    ...(monthlySmsUsd !== undefined && { monthlySmsUsd }),
  };
}

/** Warns the operator, so that they do not learn of failures from a customer, or of costs from a bill. */
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
