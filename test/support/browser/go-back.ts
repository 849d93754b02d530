import type { Page } from 'playwright-core';

/**
 * Goes back to the previous page, which must load the page client. Does not use `page.goBack()`, because Playwright
 * does not report pages that the browser restores from its cache.
 */
export async function goBack(page: Page): Promise<void> {
  await page.evaluate('history.back()').catch(() => undefined);
  await page.waitForURL(/module/, { waitUntil: 'commit' });
  await page.waitForFunction(() => Reflect.get(globalThis, 'funnel') !== undefined);
}
