import type { Configuration } from './configuration.ts';
import { createConsent } from './consent.ts';
import { createEventQueue } from './event-queue.ts';
import { createJournal } from './journal.ts';
import { createStorage } from './storage.ts';
import { createSubmitQueue } from './submit-queue.ts';
import { createTabLock } from './tab-lock.ts';
import { post } from './transport.ts';

/** Whether the browser prepares this page in advance. The visitor may never see such a page. */
export const isPrerendering = (): boolean | undefined => (document as { prerendering?: boolean }).prerendering;

/**
 * Creates the queues of a funnel, with what they share. If `isReturning` is true, also sends the events and submits
 * that earlier pages have stored.
 *
 * @param name the name of the database and the channel, and the prefix of the locks and journals
 * @param landingUrl the URL of the page when it was loaded
 * @param isReturning whether earlier pages may have left something on the device
 */
export function createQueues(
  name: string,
  landingUrl: string,
  { ingestUrl, submitUrl, consent: initial, visitorId, debug }: Configuration,
  isReturning: boolean,
) {
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
    landingUrl,
    storage,
    journal: createJournal(`${name}/`, 'eventId'),
    lock: eventLock,
    consent,
    isReturning,
    hasVisitorId: visitorId,
    post,
    // Firefox before version 133 has no `keepalive`, so it sends beacons.
    sendBeacon: 'keepalive' in Request.prototype ? undefined : (url, body) => navigator.sendBeacon(url, body),
    warn,
  });
  const submits = createSubmitQueue({
    url: submitUrl,
    isReturning,
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
  consent.listen();
  // Most pages have nothing to send. Therefore, one transaction first counts the stored events and submits. This is
  // less work than to start both queues, which need a lock and a transaction each.
  if (isReturning)
    void events.load().then(([eventCount, submitCount]) => {
      if (eventCount) events.flush();
      if (submitCount) submits.flush();
    });

  return {
    events,
    submits,
    consent,
    warn,
    shown,
    /** Call it when the visitor leaves the page: the page may end, or enter the back/forward cache. */
    leave() {
      events.flushAtHiding();
      consent.stopListening();
      eventLock.release();
      submitLock.release();
    },
    /** Call it when the page returns from the back/forward cache. */
    returnFromCache() {
      events.forgetCopies();
      consent.listen();
      resume();
    },
    /** Call it when the connection returns. Retries immediately, unless the service has requested a wait. */
    reconnect() {
      const cleared = storage.update((state) => {
        if (!state.eventBackoff?.isRequested) delete state.eventBackoff;
        if (!state.submitBackoff?.isRequested) delete state.submitBackoff;
      });
      void cleared.then(resume);
    },
  };
}
