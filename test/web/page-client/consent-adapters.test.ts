import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ConsentOptions } from '../../../web/page-client/consent.d.mts';
import { adoptConsent } from '../../../web/page-client/consent-adapters.ts';
import type { CookieConsent, Funnel } from '../../../web/page-client/funnel.d.mts';

let page: EventTarget & Record<string, unknown>;
beforeEach(() => {
  page = new EventTarget() as typeof page;
  vi.stubGlobal('window', page);
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
});
afterEach(() => vi.unstubAllGlobals());

/**
 * Calls `adoptConsent` with a fake funnel. Returns the calls of `grant` and `deny`, and the argument of the last call
 * of `describe`.
 */
function adopt(options: ConsentOptions) {
  const calls: string[] = [];
  let record: CookieConsent | undefined;
  const consent = {
    grant: () => calls.push('grant'),
    deny: () => calls.push('deny'),
    describe: (given: CookieConsent) => {
      record = given;
    },
  };
  adoptConsent({ consent } as unknown as Funnel, options);
  return { calls, record: () => record };
}

/** Lets pending promises settle. */
const settle = () => new Promise((resolve) => setTimeout(resolve));

describe('usercentrics, version 3', () => {
  /** The state of the platform, as its `getConsentDetails()` returns it. */
  const details = (given: Record<string, boolean>) => ({
    consent: {
      status: 'SOME_ACCEPTED',
      type: 'EXPLICIT',
      controllerId: 'c-1',
      hash: 'h',
      updatedAt: 1_700_000_000_000,
    },
    services: Object.fromEntries(
      Object.entries(given).map(([id, isGiven]) => [id, { name: `Name of ${id}`, consent: { given: isGiven } }]),
    ),
  });
  const install = () => {
    const cmp = { required: true as boolean | null, given: {} as Record<string, boolean>, isReady: true };
    page.__ucCmp = {
      isInitialized: async () => cmp.isReady,
      isConsentRequired: async () => cmp.required,
      getConsentDetails: async () => details(cmp.given),
    };
    return {
      cmp,
      change: async (state: Partial<typeof cmp>, event = 'UC_CONSENT') => {
        Object.assign(cmp, state);
        page.dispatchEvent(new Event(event));
        await settle();
      },
    };
  };

  test('nothing happens until the visitor has decided; then each change is adopted once', async () => {
    const { change } = install();
    const { calls } = adopt({ cmp: 'usercentrics' });
    await change({ given: { a: true } }, 'UC_UI_INITIALIZED');
    await change({ required: null });
    expect(calls).toEqual([]);
    await change({ required: false, given: { a: true, b: true } });
    await change({}, 'UC_UI_VIEW_CHANGED');
    expect(calls).toEqual(['grant']);
    await change({ given: { a: true, b: false } });
    await change({ given: { a: true, b: true } });
    expect(calls).toEqual(['grant', 'deny', 'grant']);
  });

  test('a decision from an earlier page is adopted, in any loading order of platform and adapter', async () => {
    const { cmp } = install();
    Object.assign(cmp, { required: false, given: { a: true } });
    const early = adopt({ cmp: 'usercentrics' });
    await settle();
    expect(early.calls).toEqual(['grant']);

    const { __ucCmp: loaded } = page;
    delete page.__ucCmp;
    const late = adopt({ cmp: 'usercentrics' });
    await settle();
    expect(late.calls).toEqual([]);
    page.__ucCmp = loaded;
    page.dispatchEvent(new Event('UC_UI_INITIALIZED'));
    await settle();
    expect(late.calls).toEqual(['grant']);
  });

  test.each(['b', 'Name of b'])(
    'if the page names the service “%s”, only the consent to this service counts',
    async (service) => {
      const { change } = install();
      const { calls } = adopt({ cmp: 'usercentrics', service });
      await change({ required: false, given: { a: true, b: false } });
      await change({ required: false, given: { a: false, b: true } });
      expect(calls).toEqual(['deny', 'grant']);
    },
  );

  test('denies consent if the platform does not know the service that the page names', async () => {
    const { change } = install();
    const { calls } = adopt({ cmp: 'usercentrics', service: 'other' });
    await change({ required: false, given: { a: true } });
    expect(calls).toEqual(['deny']);
  });

  test('passes the record of the platform to consent.describe()', async () => {
    const { change } = install();
    const { record } = adopt({ cmp: 'usercentrics' });
    await change({ required: false, given: { a: true, b: false } });
    expect(record()).toEqual({
      ...details({}).consent,
      cmp: 'usercentrics',
      services: { a: { name: 'Name of a', given: true }, b: { name: 'Name of b', given: false } },
    });
  });

  test('if an old state arrives after a newer state, it does not replace the newer state', async () => {
    const { cmp } = install();
    const states = [details({ a: true }), details({ a: false })];
    let delayMs = 30;
    Object.assign(page.__ucCmp as object, {
      getConsentDetails: () => {
        const state = states.shift();
        const answer = new Promise((resolve) => setTimeout(() => resolve(state), delayMs));
        delayMs = 0;
        return answer;
      },
    });
    cmp.required = false;
    const { calls } = adopt({ cmp: 'usercentrics' });
    await settle();
    page.dispatchEvent(new Event('UC_CONSENT'));
    await vi.waitFor(() => expect(calls).toHaveLength(2), { timeout: 30_000 });
    expect(calls).toEqual(['grant', 'deny']);
  });
});

test('usercentrics, version 2: adopts the decision, the services and the controller id', async () => {
  let status = true;
  let required: boolean | null = null;
  page.UC_UI = {
    isInitialized: () => true,
    isConsentRequired: () => required,
    getControllerId: () => 'c-2',
    getServicesBaseInfo: () => [{ id: 'a', name: 'Analytics', consent: { status } }],
  };
  const { calls, record } = adopt({ cmp: 'usercentrics', service: 'Analytics' });
  page.dispatchEvent(new Event('UC_UI_INITIALIZED'));
  await settle();
  expect(calls).toEqual([]);
  required = false;
  page.dispatchEvent(new Event('UC_UI_CMP_EVENT'));
  await settle();
  status = false;
  page.dispatchEvent(new Event('UC_UI_VIEW_CHANGED'));
  await settle();
  expect(calls).toEqual(['grant', 'deny']);
  expect(record()).toEqual({
    cmp: 'usercentrics',
    controllerId: 'c-2',
    services: { a: { name: 'Analytics', given: false } },
  });
});

describe('tcf', () => {
  type Callback = (data: unknown, isSuccessful: boolean) => void;
  const install = () => {
    const callbacks: Callback[] = [];
    page.__tcfapi = (command: string, version: number, callback: Callback) => {
      expect([command, version]).toEqual(['addEventListener', 2]);
      callbacks.push(callback);
    };
    return (data: object, isSuccessful = true) => {
      for (const callback of callbacks)
        callback({ cmpId: 10, cmpVersion: 3, gdprApplies: true, ...data }, isSuccessful);
    };
  };
  const consents = (...ids: number[]) => ({ consents: Object.fromEntries(ids.map((id) => [id, true])) });

  test('only the statuses tcloaded (stored earlier) and useractioncomplete (confirmed now) are decisions', () => {
    const send = install();
    const { calls } = adopt({ cmp: 'tcf' });
    send({ eventStatus: undefined, purpose: consents(1, 8) });
    send({ eventStatus: 'cmpuishown', purpose: consents(1, 8) });
    send({ eventStatus: 'useractioncomplete', purpose: consents(1, 8) }, false);
    expect(calls).toEqual([]);
    send({ eventStatus: 'useractioncomplete', purpose: consents(1, 7, 8) });
    send({ eventStatus: 'cmpuishown', purpose: consents() });
    send({ eventStatus: 'tcloaded', purpose: consents(1, 7) });
    expect(calls).toEqual(['grant', 'deny']);
  });

  test.each([
    [[1], [1], 'grant'],
    [[1, 9, 10], [1, 9], 'deny'],
    [[], [1, 8], 'deny'],
  ])('if the page requires the purposes %j, consent to the purposes %j calls %s()', (purposes, given, call) => {
    const send = install();
    const { calls } = adopt({ cmp: 'tcf', purposes });
    send({ eventStatus: 'tcloaded', purpose: consents(...given) });
    expect(calls).toEqual([call]);
  });

  test('outside the GDPR, consent is granted if the option outsideGdpr is "granted", and otherwise stays pending', () => {
    const send = install();
    const [cautious, permissive] = [adopt({ cmp: 'tcf' }), adopt({ cmp: 'tcf', outsideGdpr: 'granted' })];
    send({ gdprApplies: false });
    expect([cautious.calls, permissive.calls]).toEqual([[], ['grant']]);
  });

  test('passes the TC string and the platform to consent.describe()', () => {
    const send = install();
    const { record } = adopt({ cmp: 'tcf' });
    send({ eventStatus: 'tcloaded', purpose: consents(1), tcString: 'CAAA' });
    expect(record()).toEqual({
      cmp: 'tcf',
      setting: { id: '10', version: '3' },
      gdprApplies: true,
      tcString: 'CAAA',
    });
  });

  test('a page without `__tcfapi` gets an error', () => {
    expect(() => adopt({ cmp: 'tcf' })).toThrow('__tcfapi');
  });
});

describe('google', () => {
  /** As in Google's documentation, which pushes `arguments`. */
  function gtag(..._command: unknown[]) {
    // biome-ignore lint/complexity/noArguments: the documented form
    (page.dataLayer as unknown[]).push(arguments);
  }

  test('adopts only updates, including those from before adoptConsent()', () => {
    page.dataLayer = [];
    gtag('consent', 'default', { analytics_storage: 'granted' });
    (page.dataLayer as unknown[]).push({ event: 'gtm.js' }, null, 'text', () => undefined);
    gtag('consent', 'update', { ad_storage: 'granted' });
    const first = adopt({ cmp: 'google' });
    expect(first.calls).toEqual([]);
    gtag('consent', 'update', { analytics_storage: 'denied' });
    gtag('consent', 'update', { analytics_storage: 'granted' });
    gtag('event', 'update', { analytics_storage: 'denied' });
    expect(first.calls).toEqual(['deny', 'grant']);
    expect(adopt({ cmp: 'google' }).calls).toEqual(['deny', 'grant']);
  });

  test('the adapter creates the data layer if it is missing; push() works as for an array', () => {
    const { calls } = adopt({ cmp: 'google' });
    gtag('consent', 'update', { analytics_storage: 'granted' });
    expect(calls).toEqual(['grant']);
    expect((page.dataLayer as unknown[]).push({ event: 'a' }, { event: 'b' })).toBe(3);
    expect(page.dataLayer).toHaveLength(3);
  });

  test('passes the latest state of each consent type to consent.describe()', () => {
    const { record } = adopt({ cmp: 'google' });
    gtag('consent', 'update', { analytics_storage: 'granted', ad_storage: 'denied' });
    gtag('consent', 'update', { ad_storage: 'granted' });
    expect(record()).toEqual({
      cmp: 'google-consent-mode',
      services: { analytics_storage: 'granted', ad_storage: 'granted' },
    });
  });
});
