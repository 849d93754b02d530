/**
 * What this tab stores about one visit: input, uploads, the lead's handle and unacknowledged events. It is stored in
 * sessionStorage, so that a reload loses nothing and closing the tab deletes it; in memory if storage is blocked.
 */
export function openVisit(key, storage = usableStorage()) {
  const fresh = () => ({
    sessionId: crypto.randomUUID(),
    step: 0,
    values: {},
    lead: {},
    photo: null,
    photoSent: null,
    verification: null,
    events: [],
    started: false,
  });
  const visit = { ...fresh(), ...read(storage, key) };
  const save = () => storage?.setItem(key, JSON.stringify(visit));
  return {
    visit,
    save,
    /** Starts a new visit with another session and lead. Queued events stay: they contain the old session's id. */
    restart() {
      Object.assign(visit, fresh(), { events: visit.events });
      save();
    },
  };
}

function read(storage, key) {
  try {
    return JSON.parse(storage?.getItem(key) ?? '{}');
  } catch {
    return {};
  }
}

function usableStorage() {
  try {
    sessionStorage.setItem('probe', '');
    sessionStorage.removeItem('probe');
    return sessionStorage;
  } catch {
    return undefined;
  }
}
