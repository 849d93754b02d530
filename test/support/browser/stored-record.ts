import type { Page } from 'playwright-core';

/** What the device of a page stores. A device that has stored nothing has no database. */
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
      resolve(read.result);
    };
  };
})`);
