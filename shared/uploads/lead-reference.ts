type LeadKey = { funnelId: string; leadId: string };

/** Formats the reference by which records of uploads name a lead: `<funnel id>/<lead id>`. */
export const formatLeadReference = ({ funnelId, leadId }: LeadKey): string => `${funnelId}/${leadId}`;

export function parseLeadReference(reference: string): LeadKey {
  const [funnelId = '', leadId = ''] = reference.split('/');
  return { funnelId, leadId };
}
