/**
 * What this tab remembers of one visit: what was typed and uploaded, the lead's handle and the events not yet acknowledged. It lives in
 * sessionStorage, so that a reload loses nothing and closing the tab leaves nothing; where storage is blocked, in memory.
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
    /** A new visit: another session, another lead. Events still waiting stay: they belong to the old session by their content. */
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
