import type { ConsentState, FunnelOptions } from './funnel.d.mts';

export type Configuration = FunnelOptions & {
  ingestUrl: string;
  submitUrl: string;
  urlOf(path: string): string;
  consent: ConsentState;
};

/** @throws TypeError if the funnel id is missing or `apiUrl` is not an absolute URL */
export function configure(options: FunnelOptions): Configuration {
  const { funnelId, apiUrl, ingestPath, consent } = options;
  if (!funnelId) throw new TypeError('The page client needs the id of a funnel as funnelId (or data-funnel).');
  const urlOf = (path: string) => {
    try {
      return new URL(path.replace('{id}', encodeURIComponent(funnelId)), apiUrl).href;
    } catch {
      throw new TypeError(`The page client needs an absolute URL as apiUrl (or data-api), not "${apiUrl}".`);
    }
  };
  return {
    ...options,
    ingestUrl: urlOf(ingestPath ?? '/api/v2/public/funnel/{id}/e'),
    submitUrl: urlOf('/api/v2/public/funnel/{id}/submit'),
    urlOf,
    // A misspelt value must not count as a grant.
    consent: consent === 'granted' || consent === 'denied' ? consent : 'pending',
  };
}

/**
 * Reads `data-funnel`, `data-api`, `data-ingest-path`, `data-consent`, `data-visitor-id`, `data-auto-steps` and
 * `data-debug`. The last three need no value. The value `false` turns them off.
 */
export const optionsOf = ({ dataset, src }: Pick<HTMLScriptElement, 'dataset' | 'src'>): FunnelOptions => ({
  funnelId: dataset.funnel ?? '',
  apiUrl: dataset.api ?? src,
  ingestPath: dataset.ingestPath,
  consent: dataset.consent as ConsentState | undefined,
  visitorId: isOn(dataset.visitorId),
  autoSteps: isOn(dataset.autoSteps),
  debug: isOn(dataset.debug),
});

const isOn = (attribute: string | undefined): boolean => attribute !== undefined && attribute !== 'false';
