import { FunnelLimits } from '../../../shared/funnels/funnel.ts';
import { OrganizationLimits } from '../../../shared/organizations/organization.ts';
import type { LimitName } from './effective-limits.ts';

/** What each limit counts. */
export const MEANINGS: Record<LimitName, string> = {
  smsPerDay: 'SMS with codes an organization sends',
  aiTokensPerDay: 'tokens an organization or a funnel has models read and write',
  uploadBytesPerDay: 'bytes of files an organization takes',
  sessionsPerDay: 'training sessions an organization opens',
  domains: 'hostnames an organization has at once',
  submitsPerMinuteAndLead: 'submits a minute of one lead of a funnel',
  sendsPerTenMinutesAndLead: 'codes in ten minutes for one lead of a funnel',
  sendsPerHourAndDestination: 'codes an hour to one address or number of a funnel',
};

export const LIMIT_NAMES = Object.keys(MEANINGS) as LimitName[];

/** `--sms-per-day` without its dashes. */
export const wordOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Of each kind of owner: which limits they can have, and what these can be. */
export const SHAPES = { organization: OrganizationLimits.shape, funnel: FunnelLimits.shape } as const;
