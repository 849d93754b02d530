/** What every event of a visit says about it: session, funnel, page and the campaign it came from. */
export function describeVisit({ sessionId }, { funnelId }) {
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
  };
}
