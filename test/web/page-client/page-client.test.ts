import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ScriptFunnel } from '../../../web/page-client/funnel.d.mts';
import { isChromium } from '../../support/browser/chromium.ts';
import { crash as kill } from '../../support/browser/crash.ts';
import { HANDLE, refuse, reply } from '../../support/browser/stub-api.ts';
import { withClientSite } from '../../support/browser/with-client-site.ts';

const { stub, browser, urlOf, open, eventsAcknowledged, sentEvents, sentTypes: types } = withClientSite();

const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 30_000 });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const track = (page: Page, ...given: string[]) =>
  page.evaluate((all) => {
    for (const type of all) window.funnel.track(type);
  }, given);

test('events survive a killed tab, are sent on the next visit with the same ids, and are not sent again after that', async () => {
  stub().answer('/e', refuse(503, 'service_unavailable'));
  const context = await browser().newContext();
  const page = await open(context);
  await track(page, 'view', 'start');
  await eventually(types).toEqual(expect.arrayContaining(['view', 'start']));
  const before = sentEvents().slice(0, 2);
  await kill(context, page);

  stub().reset();
  const next = await open(context);
  await eventually(types).toEqual(['view', 'start']);
  expect(sentEvents()).toEqual(before);
  await eventsAcknowledged(next);
  await next.reload();
  await track(next, 'later');
  await eventually(types).toEqual(['view', 'start', 'later']);
});

test('a submit survives a killed tab, and is repeated with the same bytes and Idempotency-Key', async () => {
  stub().answer('/submit', refuse(503, 'service_unavailable'));
  const context = await browser().newContext();
  const page = await open(context, '/module');
  await page.evaluate(() => void window.funnel.submit({ data: { email: 'kim@example.com' }, step: 'contact' }));
  await eventually(() => stub().received('/submit').length).toBeGreaterThan(0);
  const [first] = stub().received('/submit');
  await kill(context, page);

  stub().reset();
  const next = await open(context, '/module');
  await eventually(() => stub().received('/submit')).toHaveLength(1);
  expect(stub().received('/submit')[0]).toEqual(first);
  expect(JSON.parse(`${first?.body}`)).toEqual({ data: { email: 'kim@example.com' }, step_id: 'contact' });
  expect(first?.idempotencyKey).toMatch(/^[\da-f-]{36}$/);
  // The stub received the submit, but the page may not have the response yet.
  await expect.poll(() => next.evaluate(() => window.funnel.lead())).toMatchObject({ id: HANDLE.id });
  // The handle survives a reload.
  await next.reload();
  await next.evaluate(() => window.funnel.submit({ data: { name: 'Kim' } }));
  expect(stub().bodies('/submit')[1]).toMatchObject({ lead_id: HANDLE.id, update_token: HANDLE.update_token });
});

test('422: the page gets the message of each field', async () => {
  const errors = [{ field: 'email', code: 'invalid', message: 'Check the address.' }];
  stub().answer('/submit', (response) =>
    reply(response, 422, {
      error: { code: 'validation_failed', message: '', validation_errors: errors },
      data: HANDLE,
    }),
  );
  const page = await open(await browser().newContext());
  const outcome = await page.evaluate(() => window.funnel.submit({ data: { email: 'kim' } }));
  expect(outcome).toEqual({ status: 'invalid', errors });
});

test('a denial in one tab holds in the other tabs', async () => {
  stub().answer('/e', refuse(503, 'service_unavailable'));
  const context = await browser().newContext();
  const [one, two] = [await open(context), await open(context)];
  await track(two, 'view');
  await eventually(() => types().length).toBeGreaterThan(0);
  await one.evaluate(() => window.funnel.consent.deny());
  await pause(300);
  stub().reset();
  await track(two, 'after the denial');
  await two.goto(urlOf('/elsewhere'));
  await pause(2_000);
  expect(sentEvents()).toEqual([]);
});

test('a reset does not undo a grant of another tab', async () => {
  stub().answer('/e', refuse(503, 'service_unavailable'));
  const context = await browser().newContext();
  const denied = await open(context);
  await denied.evaluate(() => {
    window.funnel.consent.deny();
    return window.funnel.lead();
  });
  const granted = await open(context, '/module');
  await granted.evaluate(() => window.funnel.consent.grant());
  await track(granted, 'after the grant');
  await eventually(types).toContain('after the grant');
  await denied.evaluate(() => {
    window.funnel.reset();
    return window.funnel.lead();
  });
  stub().reset();
  await track(granted, 'after the reset');
  await eventually(types).toEqual(['after the grant', 'after the reset']);
});

test('after a denial, submits contain no page URL, even if the next page sets its initial consent to "granted"', async () => {
  const context = await browser().newContext();
  const page = await open(context);
  await page.evaluate(() => window.funnel.consent.deny());
  await page.reload();
  await page.waitForFunction(() => window.funnel !== undefined);
  await page.evaluate(() => window.funnel.lead());
  await page.evaluate(() => window.funnel.submit({ data: { name: 'Kim' } }));
  expect(stub().bodies('/submit')).toEqual([{ data: { name: 'Kim' } }]);
});

test('with Global Privacy Control, the page sends submits, but no events', async () => {
  const context = await browser().newContext();
  await context.addInitScript(() => Object.defineProperty(navigator, 'globalPrivacyControl', { value: true }));
  const page = await open(context);
  await page.evaluate(() => window.funnel.consent.grant());
  await track(page, 'view');
  await page.evaluate(() => window.funnel.submit({ data: { name: 'Kim' }, step: 'one' }));
  await pause(700);
  expect(stub().bodies('/submit')).toEqual([{ data: { name: 'Kim' }, step_id: 'one' }]);
  expect(sentEvents()).toEqual([]);
});

test('an event is sent without a preflight, even if the visitor leaves immediately', async () => {
  const page = await open(await browser().newContext());
  await page.evaluate((url) => {
    window.funnel.step('contact', 2);
    window.location.href = url;
  }, urlOf('/elsewhere'));
  await eventually(types).toEqual(['step_view']);
  expect(stub().received('/e')[0]?.contentType).toBe('text/plain');
  expect(sentEvents()[0]).toMatchObject({ stepId: 'contact', stepIndex: 2 });
});

test('if a script submits and immediately leaves the page, the submit is sent on the next visit', async () => {
  const context = await browser().newContext();
  const page = await open(context);
  await page.evaluate(() => {
    void window.funnel.submit({ data: { name: 'Kim' } });
    window.location.href = 'about:blank';
  });
  await page.waitForURL('about:blank');
  await open(context);
  await eventually(() => stub().bodies('/submit')).toMatchObject([{ data: { name: 'Kim' } }]);
});

test('if a script completes a lead and immediately leaves the page, the next submit creates another lead', async () => {
  const context = await browser().newContext();
  const page = await open(context);
  await page.evaluate(() => window.funnel.submit({ data: { name: 'Kim' } }));
  await page.evaluate(() => {
    window.funnel.complete();
    window.location.href = 'about:blank';
  });
  await page.waitForURL('about:blank');
  const next = await open(context);
  await next.evaluate(() => window.funnel.submit({ data: { name: 'Sam' } }));
  const submits = stub().bodies('/submit');
  expect(submits).toMatchObject([{ data: { name: 'Kim' } }, { data: { name: 'Sam' } }]);
  expect(submits[1]).not.toHaveProperty('lead_id');
});

test('a page that enters the back/forward cache releases its lock, and can send again when it returns', async () => {
  let isFirst = true;
  stub().answer('/e', (response, { body }) => {
    // The first request gets no response.
    if (!isFirst) reply(response, 200, { received: JSON.parse(`${body}`).events.length });
    isFirst = false;
  });
  const page = await open(await browser().newContext());
  const heldLocks = () => page.evaluate(async () => (await navigator.locks.query()).held?.length);
  await track(page, 'one');
  await eventually(types).toEqual(['one']);
  expect(await heldLocks()).toBe(1);
  // The events of the cache are simulated, because the browser of this test does not use the back/forward cache.
  const transition = (type: string) =>
    page.evaluate((name) => void dispatchEvent(new PageTransitionEvent(name, { persisted: true })), type);
  await transition('pagehide');
  await expect.poll(heldLocks, { timeout: 5_000 }).toBe(0);
  await transition('pageshow');
  await track(page, 'two');
  await expect.poll(types, { timeout: 5_000 }).toEqual(['one', 'two']);
});

test('a denial is stored even if it follows the event `pagehide`', async () => {
  const context = await browser().newContext();
  const page = await open(context);
  await page.evaluate(() => {
    dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
    window.funnel.consent.deny();
  });
  const next = await open(context);
  await track(next, 'after the denial');
  await pause(700);
  expect(sentEvents()).toEqual([]);
});

test('the classic script makes at most three attempts to load a part', async () => {
  const page = await open(await browser().newContext(), '/classic');
  const attempts = { consent: 0, upload: 0 };
  await page.route(/\/(consent|upload)\.mjs/, async (route) => {
    const part = route.request().url().includes('consent') ? 'consent' : 'upload';
    attempts[part] += 1;
    await (part === 'upload' || attempts.consent < 3 ? route.abort('connectionreset') : route.continue());
  });
  const load = (part: string) =>
    page.evaluate(
      (name) =>
        (window.tributary as ScriptFunnel).load(name).then(
          (module) => Object.keys(module as object),
          () => 'rejected',
        ),
      part,
    );
  expect(await Promise.all([load('consent'), load('upload')])).toEqual([['adoptConsent'], 'rejected']);
  expect(attempts).toEqual({ consent: 3, upload: 3 });
});

test('the classic script runs the calls that were made before it loaded', async () => {
  const page = await open(await browser().newContext(), '/classic?utm_source=news&email=kim');
  await track(page, 'after');
  await eventually(types).toEqual(['before', 'after']);
  expect(sentEvents()[0]).toMatchObject({ pageUrl: urlOf('/classic?utm_source=news'), utmSource: 'news' });
});

test('after the lead is known, events contain its id, but never its token', async () => {
  const page = await open(await browser().newContext());
  await page.evaluate(() => window.funnel.submit({ data: { name: 'Kim' } }));
  await track(page, 'step_submit');
  await eventually(types).toEqual(['step_submit']);
  expect(sentEvents()[0]?.payload.lead_id).toBe(HANDLE.id);
  expect(JSON.stringify(sentEvents())).not.toContain(HANDLE.update_token);
});

const stepIds = () => sentEvents().map(({ stepId }) => stepId);

test('automatic steps: each navigation of a single-page application to another path is one step', async () => {
  const page = await open(await browser().newContext(), '/module?consent=granted&auto-steps&email=kim');
  expect(await page.evaluate(() => 'navigation' in window)).toBe(true);
  await page.evaluate(() => {
    history.pushState(null, '', '/contact?email=kim#kim');
    history.replaceState({ scroll: 1 }, '', '/contact?email=kim%40example.com');
    location.hash = 'section';
    history.pushState(null, '', '/done');
  });
  await page.evaluate(() => history.back());
  await eventually(stepIds).toEqual(['/module', '/contact', '/done', '/contact']);
  await pause(700);
  expect(stepIds()).toHaveLength(4);
  expect(JSON.stringify(sentEvents())).not.toContain('kim');
  expect(new Set(sentEvents().map(({ pageUrl }) => pageUrl))).toEqual(new Set([urlOf('/module')]));
});

test('automatic steps work without the Navigation API', async () => {
  const context = await browser().newContext();
  await context.addInitScript(() => Object.defineProperty(window, 'navigation', { value: undefined }));
  const page = await open(context, '/module?consent=granted&auto-steps');
  await page.evaluate(() => history.pushState(null, '', '/contact'));
  await page.evaluate(() => history.back());
  await eventually(stepIds).toEqual(['/module', '/contact', '/module']);
});

test('all events of a session have the URL and the referrer of its first page, also on later pages', async () => {
  const page = await (await browser().newContext()).newPage();
  await page.goto(urlOf('/module?consent=granted&utm_source=mail&email=kim'), {
    referer: 'https://search.example/?q=a',
  });
  const nextPaths = ['/module?consent=granted', '/module?consent=granted&utm_source=other'];
  for (const [index, path] of nextPaths.entries()) {
    await page.waitForFunction(() => window.funnel !== undefined);
    await track(page, 'view');
    await eventually(() => sentEvents().length).toBe(index + 1);
    await eventsAcknowledged(page);
    await page.goto(urlOf(path));
  }
  await page.waitForFunction(() => window.funnel !== undefined);
  await track(page, 'view');
  const first = {
    pageUrl: urlOf('/module?utm_source=mail'),
    utmSource: 'mail',
    referrer: 'https://search.example/',
  };
  await eventually(sentEvents).toMatchObject([first, first, first]);
});

test('with visitor ids, the events of all pages have the same visitor id; events after a reset have another one', async () => {
  const page = await open(await browser().newContext(), '/module?consent=granted&visitor-id');
  // Counts each event once. If a reload interrupts the response to an event, the page sends the event again.
  const visitorIds = () => [
    ...new Map(sentEvents().map(({ eventId, payload }) => [eventId, payload.visitor_id])).values(),
  ];
  await track(page, 'view');
  await eventually(() => visitorIds().length).toBe(1);
  await page.reload();
  await track(page, 'view');
  await eventually(() => visitorIds().length).toBe(2);
  await page.evaluate(() => window.funnel.reset());
  await track(page, 'view');
  await eventually(() => visitorIds().length).toBe(3);
  const [first, second, third] = visitorIds();
  expect([first, second]).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), first]);
  expect(third).not.toBe(first);
});

test('with a content security policy, the consent part still adopts decisions and adds their record to submits', async () => {
  const page = await open(await browser().newContext(), '/consent-mode');
  await page.waitForFunction(() => window.isAdopted);
  await page.evaluate(() => window.gtag('consent', 'update', { analytics_storage: 'denied' }));
  await page.evaluate(() => window.funnel.submit({ data: { name: 'Kim' } }));
  expect(stub().bodies('/submit')).toEqual([
    {
      data: { name: 'Kim' },
      cookie_consent: { cmp: 'google-consent-mode', services: { analytics_storage: 'denied' } },
    },
  ]);
  await pause(700);
  expect(sentEvents()).toEqual([]);
  await page.evaluate(() => window.gtag('consent', 'update', { analytics_storage: 'granted' }));
  await track(page, 'after the grant');
  await eventually(types).toEqual(['after the grant']);
});

test.skipIf(!isChromium)(
  'if the tab is killed directly after track(), the event is sent on the next visit',
  async () => {
    const context = await browser().newContext();
    const page = await open(context);
    await track(page, 'first');
    await eventually(types).toEqual(['first']);
    await eventsAcknowledged(page);
    await killInTask(page, "window.funnel.track('last')");
    await open(context);
    await eventually(types).toEqual(['first', 'last']);
    expect(new Set(sentEvents().map(({ sessionId }) => sessionId)).size).toBe(1);
  },
);

test.skipIf(!isChromium)(
  'if the tab is killed directly after submit(), the submit is sent on the next visit',
  async () => {
    const context = await browser().newContext();
    const page = await open(context, '/module');
    await killInTask(page, "void window.funnel.submit({ data: { name: 'Kim' } })");
    const next = await open(context, '/module');
    await eventually(() => stub().bodies('/submit')).toEqual([{ data: { name: 'Kim' } }]);
    await eventually(() => next.evaluate(() => localStorage.length)).toBe(1);
  },
);

test.skipIf(!isChromium)(
  'if the tab is killed directly after reset(), the page of the next visit has no lead',
  async () => {
    const context = await browser().newContext();
    const page = await open(context);
    await page.evaluate(() => window.funnel.submit({ data: { city: 'A' } }));
    expect(await page.evaluate(() => window.funnel.lead())).toMatchObject({ id: HANDLE.id });
    await killInTask(page, 'window.funnel.reset()');
    const next = await open(context);
    expect(await next.evaluate(() => window.funnel.lead())).toBeUndefined();
  },
);

async function killInTask(page: Page, call: string): Promise<void> {
  const crashed = page.waitForEvent('crash');
  const called = page.waitForEvent('console');
  void page.evaluate(`${call}; console.log('called'); for (;;);`).catch(() => undefined);
  await called;
  await killRenderers();
  await crashed;
}

/** Kills the processes of all tabs. `Page.crash` of DevTools would take effect only after the task of the page. */
async function killRenderers(): Promise<void> {
  const session = await browser().newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  for (const { type, id } of processInfo) if (type === 'renderer') process.kill(id, 'SIGKILL');
}
