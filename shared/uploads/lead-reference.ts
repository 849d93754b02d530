type LeadKey = { funnelId: string; leadId: string };

/** A lead as records of uploads name it: `<funnel id>/<lead id>`. */
export const formatLeadReference = ({ funnelId, leadId }: LeadKey): string => `${funnelId}/${leadId}`;

export function parseLeadReference(reference: string): LeadKey {
  const [funnelId = '', leadId = ''] = reference.split('/');
  return { funnelId, leadId };
}
