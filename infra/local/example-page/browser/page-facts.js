/**
 * The common fields of all events of a visit: session, funnel, page, campaign and, after the first submit, the lead. The
 * lead id makes it possible to erase the visit with the lead.
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
