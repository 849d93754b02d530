import type { Page } from 'playwright-core';

/**
 * Reads what the page client has stored in the page's browser. Before the first write, there is no database, or a
 * database without a record.
 */
export const readRecord = (page: Page, funnelId: string) =>
  page.evaluate<{ events: unknown[]; submits: unknown[] }>(`new Promise((resolve, reject) => {
  const open = indexedDB.open('tributary-${funnelId}', 1);
  open.onupgradeneeded = () => open.transaction.abort();
  open.onerror = () =>
    open.error.name === 'AbortError' ? resolve({ events: [], submits: [] }) : reject(open.error);
  open.onsuccess = () => {
    const read = open.result.transaction('state').objectStore('state').get('state');
    read.onerror = reject;
    read.onsuccess = () => {
      open.result.close();
      resolve(read.result ?? { events: [], submits: [] });
    };
  };
})`);

/** Reads the entries of a journal (see `web/page-client/journal.ts`), which are not in the record yet. */
export const readJournal = (page: Page, prefix: string) =>
  page.evaluate<unknown[]>(
    `Object.keys(localStorage).filter((key) => key.startsWith('${prefix}')).map((key) => JSON.parse(localStorage[key]))`,
  );
