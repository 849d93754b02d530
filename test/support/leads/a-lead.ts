import type { Lead, LeadKey } from '../../../shared/leads/lead.ts';

export const aLead = (key: LeadKey, submittedAt: string, data: Record<string, unknown> = {}): Lead => ({
  ...key,
  firstSubmittedAt: submittedAt,
  submittedAt,
  completedAt: undefined,
  submits: 1,
  retainedUntil: undefined,
  data: new Map(Object.entries(data).map(([name, value]) => [name, JSON.stringify(value)])),
  steps: [],
  consents: [],
  verified: [],
  pageUrl: undefined,
  deviceClass: undefined,
  webcomponentArgs: undefined,
  cookieConsent: undefined,
});
