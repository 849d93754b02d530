import { readAttribution } from './attribution.ts';
import { configure } from './configuration.ts';
import { createConsent } from './consent.ts';
import { createEventQueue } from './event-queue.ts';
import type { CookieConsent, Funnel, FunnelOptions } from './funnel.d.mts';
import { createJournal } from './journal.ts';
import { followSteps } from './navigation-steps.ts';
import { createStorage } from './storage.ts';
import { createSubmitQueue } from './submit-queue.ts';
import { createTabLock } from './tab-lock.ts';
import { post } from './transport.ts';

/** @throws TypeError if the funnel id is missing or `apiUrl` is not a URL */
export function createFunnel(options: FunnelOptions): Funnel {
  const { funnelId, ingestUrl, submitUrl, urlOf, consent: initial, visitorId, autoSteps, debug } = configure(options);
  let cookieConsent: CookieConsent | undefined;
  const name = `tributary-${funnelId}`;
  // A browser may prepare a page that the visitor never sees.
  const isPrerendering = () => (document as { prerendering?: boolean }).prerendering;
  const shown = new Promise<unknown>((resolve) => {
    if (isPrerendering()) document.addEventListener('prerenderingchange', resolve, { once: true });
    else resolve(undefined);
  });
  const storage = createStorage(name, shown);
  const eventLock = createTabLock(`${name}-events`, storage, navigator.locks);
  const submitLock = createTabLock(`${name}-submits`, storage, navigator.locks);
  const { globalPrivacyControl } = navigator as { globalPrivacyControl?: boolean };
  const consent = createConsent(name, initial, globalPrivacyControl === true, () => events.discard());
  const warn = (message: string, detail: unknown) => {
    // biome-ignore lint/suspicious/noConsole: the page asked for it
    if (debug) console.warn(`Tributary: ${message}`, detail);
  };
  const events = createEventQueue({
    url: ingestUrl,
    storage,
    journal: createJournal(`${name}/`, 'eventId'),
    lock: eventLock,
    consent,
    hasVisitorId: visitorId,
    post,
    // Firefox before version 133 has no keepalive.
    sendBeacon: 'keepalive' in Request.prototype ? undefined : (url, body) => navigator.sendBeacon(url, body),
    warn,
  });
  const submits = createSubmitQueue({
    url: submitUrl,
    storage,
    journal: createJournal(`${name}-submits/`, 'key'),
    lock: submitLock,
    post,
    warn,
  });

  const resume = () => {
    events.flush();
    submits.flush();
  };
  addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') events.flushAtHiding();
  });
  addEventListener('pagehide', () => {
    events.flushAtHiding();
    consent.stopListening();
    eventLock.release();
    submitLock.release();
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    events.forgetCopies();
    consent.listen();
    resume();
  });
  addEventListener('online', () => {
    const cleared = storage.update((state) => {
      if (!state.eventBackoff?.isRequested) delete state.eventBackoff;
      if (!state.submitBackoff?.isRequested) delete state.submitBackoff;
    });
    void cleared.then(resume);
  });
  consent.listen();
  // Most pages have nothing to resume. Then one transaction is less work at load than two locks with one each.
  if (!storage.isNew())
    void events.load().then(([eventCount, submitCount]) => {
      if (eventCount) events.flush();
      if (submitCount) submits.flush();
    });

  function track(type: string, fields = {}): void {
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
  if (autoSteps) followSteps(step);

  return {
    track,
    step,
    submit: (submit) => {
      const pageUrl = consent.state() === 'granted' ? readAttribution(location.href, '').pageUrl : undefined;
      return submits.submit({ cookieConsent, ...submit }, pageUrl);
    },
    consent: {
      grant: events.grant,
      deny: events.deny,
      describe: (given) => {
        cookieConsent = given;
      },
    },
    lead: submits.lead,
    complete() {
      track('complete');
      submits.startNewLead();
    },
    startNewLead: submits.startNewLead,
    reset() {
      submits.discard();
      // Resolves the deleted submits with `discarded`.
      void events.reset().then(submits.flush);
    },
    urlOf,
  };
}
