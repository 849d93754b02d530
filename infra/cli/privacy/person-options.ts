import { type Command, InvalidArgumentError } from 'commander';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { parseUuid } from '../program/options.ts';
import type { FindPersonInput } from './find-person.ts';
import { type PersonIdentifier, parsePersonEmail, parsePersonPhone } from './person-identifier.ts';

export type PersonOptions = EnvironmentOptions & {
  email?: PersonIdentifier;
  phone?: PersonIdentifier;
  lead?: { funnelId: string; leadId: string };
  funnel?: string;
  json?: true;
};

/** Adds the argument and the options by which a command is told whom it is about. */
export const withPersonOptions = (command: Command): Command =>
  command
    .argument('<organization>', 'id of the organization', parseUuid('organization'))
    .option('--email <address>', 'whose leads hold this address as a whole value, in whatever case', emailOf)
    .option(
      '--phone <number>',
      'whose leads hold this number, however it is written; with + or 00 and country code',
      phoneOf,
    )
    .option('--lead <funnel/lead>', 'one lead, by the ids of its funnel and its own', leadOf)
    .option('--funnel <id>', 'looks in this funnel alone', parseUuid('funnel'));

/** What the options ask for; ends the command as wrong usage unless they name one person or lead. */
export function askedIn(
  orgId: string,
  { email, phone, lead, funnel }: PersonOptions,
  command: Command,
): FindPersonInput {
  const persons = [email, phone].filter((person) => person !== undefined);
  const [person] = persons;
  if (persons.length + (lead === undefined ? 0 : 1) !== 1)
    command.error('error: Give --email, --phone or --lead: one of them.');
  if (lead !== undefined && funnel !== undefined) command.error('error: --lead names its funnel: leave --funnel out.');
  if (lead !== undefined) return { orgId, subject: { leadId: lead.leadId }, funnelId: lead.funnelId };
  return { orgId, subject: person ?? command.error('error: Give --email, --phone or --lead.'), funnelId: funnel };
}

export const emailOf = (given: string): PersonIdentifier =>
  parsePersonEmail(given) ?? refuse('Give an e-mail address such as person@shop.example.');

export const phoneOf = (given: string): PersonIdentifier =>
  parsePersonPhone(given) ?? refuse('Give a phone number with + or 00 and country code, such as "+49 30 901820".');

function leadOf(given: string): { funnelId: string; leadId: string } {
  const [funnelId, leadId, ...more] = given.split('/');
  if (funnelId === undefined || leadId === undefined || more.length > 0)
    return refuse('Give the ids of a funnel and of a lead with a slash between them.');
  return { funnelId: parseUuid('funnel')(funnelId), leadId: parseUuid('lead')(leadId) };
}

function refuse(sentence: string): never {
  throw new InvalidArgumentError(sentence);
}
