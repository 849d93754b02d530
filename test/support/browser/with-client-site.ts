import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { bundlePageClient } from '../../../infra/bundles/page-client.ts';
import { ALIAS_FOLDER } from '../../../infra/page-client/delivery.ts';
import { launchChromium } from './chromium.ts';
import { type ClientSite, startClientSite } from './client-site.ts';
import { startStub } from './stub-api.ts';

const FUNNEL_ID = '5d0f1d3e-29f7-4b61-8b4a-0d8d7f3f7a01';

/** An event as the stub receives it. */
export type SentEvent = {
  eventId: string;
  sessionId: string;
  timestamp: string;
  pageUrl: string;
  stepId?: string;
  payload: { type: string; lead_id?: string; visitor_id?: string };
};

/** Starts a browser, a customer's site with the page client, and a stub of the API, which is reset after each test. */
export function withClientSite() {
  let stub: Awaited<ReturnType<typeof startStub>>;
  let site: ClientSite;
  let browser: Browser;
  beforeAll(async () => {
    await bundlePageClient();
    [stub, browser] = await Promise.all([startStub(), launchChromium()]);
    site = await startClientSite({
      clientUrl: `${stub.pagesUrl}${ALIAS_FOLDER}/`,
      apiUrl: stub.url,
      funnelId: FUNNEL_ID,
    });
  }, 60_000);
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    stub.reset();
  });
  afterAll(async () => {
    await browser?.close();
    site?.close();
    await stub?.close();
  });
  const sentEvents = (): SentEvent[] => stub.bodies('/e').flatMap(({ events }) => events);
  return {
    stub: () => stub,
    browser: () => browser,
    siteRequests: () => site.requests,
    /** URL of a page of the site. */
    urlOf: (path: string) => site.url + path,
    /** Opens a page and waits for the client. */
    async open(context: BrowserContext, path = '/module?consent=granted'): Promise<Page> {
      const page = await context.newPage();
      await page.goto(site.url + path);
      await page.waitForFunction(() => Reflect.get(globalThis, 'funnel') !== undefined);
      return page;
    },
    sentEvents,
    sentTypes: () => sentEvents().map(({ payload }) => payload.type),
  };
}
