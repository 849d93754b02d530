import { readAttribution } from './attribution.ts';
import { configure } from './configuration.ts';
import type { CookieConsent, Funnel, FunnelOptions } from './funnel.d.mts';
import { followSteps } from './navigation-steps.ts';
import { createQueues, isPrerendering } from './queues.ts';
import { isNewDevice } from './storage.ts';

/** If the device has stored something, the queues start in the first idle moment, or at the latest after this time. */
const IDLE_TIMEOUT_MS = 2_000;

/** The parameter `name` of `createQueues` is this prefix, followed by the id of the funnel. */
export const NAME_PREFIX = 'tributary-';

/**
 * @param landingUrl the URL of the page when it was loaded
 * @throws TypeError if the funnel id is missing or `apiUrl` is not an absolute URL
 */
export function createFunnel(options: FunnelOptions, landingUrl: string = document.URL): Funnel {
  const configuration = configure(options);
  const name = NAME_PREFIX + configuration.funnelId;
  let cookieConsent: CookieConsent | undefined;
  let started: ReturnType<typeof createQueues> | undefined;
  /** Whether the device was new (nothing was stored) when this page first checked. */
  let wasNew: boolean | undefined;
  /** Starts the queues at their first use. During the load, the page has more important work. */
  const queues = () => {
    // If the device was new, all journal entries come from tabs that may still be open. These tabs send the entries.
    started ??= createQueues(name, landingUrl, configuration, !(wasNew || isNewDevice(name)));
    return started;
  };
  /** The queues, if this page has used them or the device has stored something. */
  const neededQueues = () => {
    wasNew ??= isNewDevice(name);
    return started || !isNewDevice(name) ? queues() : undefined;
  };

  addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') started?.events.flushAtHiding();
  });
  addEventListener('pagehide', () => started?.leave());
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) neededQueues()?.returnFromCache();
  });
  addEventListener('online', () => neededQueues()?.reconnect());
  if ('requestIdleCallback' in window) requestIdleCallback(neededQueues, { timeout: IDLE_TIMEOUT_MS });
  // Safari has no `requestIdleCallback`.
  else setTimeout(neededQueues);

  function track(type: string, fields = {}): void {
    const { events, shown, warn } = queues();
    try {
      // Copied now, because the page may change the payload later.
      const copy = JSON.parse(JSON.stringify(fields));
      if (isPrerendering()) void shown.then(() => events.track(type, copy));
      else events.track(type, copy);
    } catch (error) {
      // Tracking must not break the page.
      warn('An event cannot be written as JSON.', error);
    }
  }

  const step = (stepId: string, stepIndex?: number) => track('step_view', { stepId, stepIndex });
  if (configuration.autoSteps) followSteps(step);

  return {
    track,
    step,
    submit: (submit) => {
      const { submits, consent } = queues();
      const pageUrl = consent.state() === 'granted' ? readAttribution(location.href, '').pageUrl : undefined;
      return submits.submit({ cookieConsent, ...submit }, pageUrl);
    },
    consent: {
      grant: () => queues().events.grant(),
      deny: () => queues().events.deny(),
      describe: (given) => {
        cookieConsent = given;
      },
    },
    lead: () => queues().submits.lead(),
    complete() {
      track('complete');
      queues().submits.startNewLead();
    },
    startNewLead: () => queues().submits.startNewLead(),
    reset() {
      const { events, submits } = queues();
      submits.discard();
      // Resolves the deleted submits with `discarded`.
      void events.reset().then(submits.flush);
    },
    urlOf: configuration.urlOf,
  };
}
