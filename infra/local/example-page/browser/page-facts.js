/**
 * What every event of a visit says about it: session, funnel, page, the campaign it came from and, once there is one, the lead: by it
 * the visit is found when the lead's person asks to be forgotten.
 */
export function describeVisit({ sessionId, lead }, { funnelId }) {
  const query = new URLSearchParams(location.search);
  const utm = ['Source', 'Medium', 'Campaign', 'Term', 'Content']
    .map((part) => [`utm${part}`, query.get(`utm_${part.toLowerCase()}`)])
    .filter(([, value]) => value);
  return {
    sessionId,
    funnelId,
    pageUrl: location.href,
    ...(document.referrer && { referrer: document.referrer }),
    language: navigator.language,
    version: 1,
    ...Object.fromEntries(utm),
    ...(lead.handle && { payload: { lead_id: lead.handle.id } }),
  };
}
