/** Where a session comes from. The names are those of the ingest operation. */
export type Attribution = {
  pageUrl: string;
  referrer?: string;
  utmSource?: string;
  utmMedium?: string;
  utmCampaign?: string;
  utmTerm?: string;
  utmContent?: string;
};

const UTM_PARTS = ['Source', 'Medium', 'Campaign', 'Term', 'Content'] as const;
/** Maximum lengths. The service rejects an event with a longer text. */
const URL_CHARACTERS_MAX = 2048;
const UTM_CHARACTERS_MAX = 255;

/** Of the query, only utm parameters are kept, because other parameters and the fragment can identify a person. */
export function readAttribution(url: string, referrer: string): Attribution {
  const { origin, pathname, host, searchParams } = new URL(url);
  const attribution: Attribution = { pageUrl: '' };
  const kept = new URLSearchParams();
  for (const part of UTM_PARTS) {
    const name = `utm_${part.toLowerCase()}`;
    const value = searchParams.get(name)?.slice(0, UTM_CHARACTERS_MAX);
    if (value) {
      kept.set(name, value);
      attribution[`utm${part}`] = value;
    }
  }
  const query = `${kept}`;
  attribution.pageUrl = (origin + pathname + (query && `?${query}`)).slice(0, URL_CHARACTERS_MAX);
  const from = referrer ? new URL(referrer) : undefined;
  if (from?.host && from.host !== host) attribution.referrer = `${from.protocol}//${from.host}/`;
  return attribution;
}
