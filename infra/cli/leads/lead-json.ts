import type { Lead } from '../../../shared/leads/lead.ts';
import { leadJson as formatLead } from '../../../shared/leads/lead-json.ts';
import { printableJson } from '../terminal/printable.ts';

/** Formats a lead as one line of JSON for terminals and files. @param fields see `formatLead` */
export const leadJson = (lead: Lead, fields?: ReadonlySet<string>): string => printableJson(formatLead(lead, fields));
