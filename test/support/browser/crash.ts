import type { BrowserContext, Page } from 'playwright-core';
import { isChromium } from './chromium.ts';

/** Kills the process of the tab. In other browsers than Chromium, closes the tab. */
export async function crash(context: BrowserContext, page: Page): Promise<void> {
  if (!isChromium) return page.close();
  const crashed = page.waitForEvent('crash');
  const session = await context.newCDPSession(page);
  void session.send('Page.crash').catch(() => undefined);
  await crashed;
  await page.close();
}
