/**
 * What this tab stores about one visit: input, uploads, the lead's handle and unacknowledged events. The data is in
 * sessionStorage, so that a reload keeps it and closing the tab deletes it. If storage is blocked, the data is in
 * memory.
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
    /** Starts a new visit with another session and lead. Keeps queued events, which contain the old session id. */
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
