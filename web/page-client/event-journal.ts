import type { Attribution } from './attribution.ts';
import type { EventRow } from './device-state.ts';
import type { EventFields } from './funnel.d.mts';
import { withLocalStorage } from './local-storage.ts';

/** An event before it belongs to a session. */
export type TrackedEvent = {
  eventId: string;
  atMs: number;
  type: string;
  fields: EventFields;
  attribution: Attribution;
  /** Id of the session that the event starts, if there is none. The same for all events until it has started. */
  nextSessionId: string;
  /** What was sent when the page was hidden before the event was stored. Each later request repeats it. */
  row?: EventRow;
};

export type EventJournal = {
  add(event: TrackedEvent): void;
  /** The events of all tabs. */
  read(): TrackedEvent[];
  remove(events: readonly TrackedEvent[]): void;
};

/**
 * Keeps events until they are stored. A transaction of IndexedDB takes some milliseconds, in which the process of the
 * tab can die. `localStorage` keeps also what the last task of a process has written.
 */
export function createEventJournal(name: string): EventJournal {
  const prefix = `${name}/`;
  return {
    add: (event) => withLocalStorage((storage) => storage.setItem(prefix + event.eventId, JSON.stringify(event))),
    read: () =>
      withLocalStorage((storage) =>
        Object.keys(storage)
          .filter((key) => key.startsWith(prefix))
          .map((key) => JSON.parse(storage[key])),
      ) ?? [],
    remove: (events) => {
      for (const { eventId } of events) withLocalStorage((storage) => storage.removeItem(prefix + eventId));
    },
  };
}
