import { option, usageError } from '../program/command.ts';
import { organizationArgument, parseUuid } from '../program/parameters.ts';
import type { FindPersonInput } from './dependencies.ts';
import { type PersonIdentifier, parsePersonEmail, parsePersonPhone } from './person-identifier.ts';

const invalid = (sentence: string): never => {
  throw usageError(sentence);
};

export const parseEmail = (given: string): PersonIdentifier =>
  parsePersonEmail(given) ?? invalid('Give an e-mail address such as person@shop.example.');

export const parsePhone = (given: string): PersonIdentifier =>
  parsePersonPhone(given) ?? invalid('Give a phone number with + or 00 and country code, such as "+49 30 901820".');

function parseLead(given: string): { funnelId: string; leadId: string } {
  const [funnelId, leadId, ...more] = given.split('/');
  if (funnelId === undefined || leadId === undefined || more.length > 0) {
    return invalid('Give the id of a funnel and the id of a lead, separated by a slash.');
  }
  return { funnelId: parseUuid('funnel')(funnelId), leadId: parseUuid('lead')(leadId) };
}

export const personParameters = {
  args: { orgId: organizationArgument },
  options: {
    email: option('--email <address>', 'e-mail address of the person; case is ignored', parseEmail),
    phone: option(
      '--phone <number>',
      'phone number of the person, with + or 00 and the country code; separators such as spaces are ignored',
      parsePhone,
    ),
    lead: option(
      '--lead <funnel/lead>',
      'only this lead with its files and sessions, given as funnel id, slash and lead id',
      parseLead,
    ),
    funnel: option(
      '--funnel <id>',
      'with --email or --phone: search only the funnel with this id (default: all funnels of the organization)',
      parseUuid('funnel'),
    ),
  },
};

type PersonInput = {
  orgId: string;
  email: PersonIdentifier | undefined;
  phone: PersonIdentifier | undefined;
  lead: { funnelId: string; leadId: string } | undefined;
  funnel: string | undefined;
};

export const checkPerson = ({ email, phone, lead, funnel }: PersonInput): string | undefined => {
  if ([email, phone, lead].filter((one) => one !== undefined).length !== 1) {
    return 'give exactly one of --email, --phone and --lead';
  }
  return lead !== undefined && funnel !== undefined ? '--lead already names the funnel: remove --funnel' : undefined;
};

export function toFindPersonInput({ orgId, email, phone, lead, funnel }: PersonInput): FindPersonInput {
  const person = email ?? phone;
  if (person !== undefined) return { orgId, subject: person, funnelId: funnel };
  return { orgId, subject: { leadId: lead?.leadId ?? '' }, funnelId: lead?.funnelId };
}
