/**
 * The fields that all events of a visit have in common: session, funnel, page, campaign and, after the first submit,
 * the lead. With the lead id, an operator can erase the session together with the lead.
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
