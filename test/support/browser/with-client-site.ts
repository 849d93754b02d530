import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { ALIAS_FOLDER } from '../../../infra/page-client/delivery.ts';
import { type ClientSite, startClientSite } from './client-site.ts';
import { readRecord } from './stored-record.ts';
import { withStub } from './with-stub.ts';

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

/** Starts what `withStub` starts, and the site of an organization with the page client. */
export function withClientSite() {
  const { stub, browser } = withStub();
  let site: ClientSite;
  beforeAll(async () => {
    const { url: apiUrl, pagesUrl } = stub();
    site = await startClientSite({ clientUrl: `${pagesUrl}${ALIAS_FOLDER}/`, apiUrl, funnelId: FUNNEL_ID });
  });
  afterAll(() => site?.close());
  const sentEvents = (): SentEvent[] =>
    stub()
      .bodies('/e')
      .flatMap(({ events }) => events);
  return {
    stub,
    browser,
    siteRequests: () => site.requests,
    urlOf: (path: string) => site.url + path,
    /** Opens a page and waits for the client. */
    async open(context: BrowserContext, path = '/module?consent=granted'): Promise<Page> {
      const page = await context.newPage();
      await page.goto(site.url + path);
      await page.waitForFunction(() => Reflect.get(globalThis, 'funnel') !== undefined);
      return page;
    },
    /** Waits until the page has processed the responses to its events. The stub receives the events before that. */
    async eventsAcknowledged(page: Page): Promise<void> {
      await expect.poll(async () => (await readRecord(page, FUNNEL_ID)).events, { timeout: 15_000 }).toEqual([]);
    },
    sentEvents,
    sentTypes: () => sentEvents().map(({ payload }) => payload.type),
  };
}
