import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALIAS_FOLDER } from '../../../infra/page-client/delivery.ts';
import { startSite } from '../../support/browser/site.ts';
import { breakOff, HANDLE, refuse, reply } from '../../support/browser/stub-api.ts';
import { withStub } from '../../support/browser/with-stub.ts';

const FUNNEL_ID = '5d0f1d3e-29f7-4b61-8b4a-0d8d7f3f7a01';

const { stub, browser } = withStub();
let site: Awaited<ReturnType<typeof startSite>>;
beforeAll(async () => {
  site = await startPages();
});
afterAll(() => site?.close());

const ONE = `<form data-funnel-step="one" method="dialog">
  <h2>One</h2>
  <label>Name <input name="name" required></label>
  <label>Phone <input name="phone"></label>
  <button type="submit">Continue</button>
</form>`;
const TWO = `<form data-funnel-step="two" method="dialog" hidden>
  <h2>Two</h2>
  <label>E-mail <input name="email" type="email" data-error="Check the address."></label>
  <label>Town <input name="address.city"></label>
  <label>Street <input name="address.street"></label>
  <fieldset>
    <legend>Interests</legend>
    <label><input type="checkbox" name="interests" value="panels">Panels</label>
    <label><input type="checkbox" name="interests" value="battery">Battery</label>
  </fieldset>
  <button type="button" data-funnel-back>Back</button>
  <button type="submit">Continue</button>
</form>`;
const VERIFICATION = `<form data-funnel-verification method="dialog" hidden>
  <label>Code <input data-funnel-code></label>
  <button type="button" data-funnel-skip>Later</button>
</form>`;
const BACK = '<button type="button" data-funnel-back>Back</button>';
const FILE = `<form data-funnel-step="photo" method="dialog">
  <h2>Photo</h2>
  <input type="file" name="photo" data-block="block-id">
  <button type="submit">Continue</button>
</form>`;
const LIMITS = `<form data-funnel-step="limits" method="dialog">
  <input name="required" required data-error-required="required"><input name="url" type="url" data-error-format="format">
  <input name="pattern" pattern="a" data-error-format="format"><input name="count" type="number" data-error-type="type">
  <input name="max" type="number" max="5" data-error-range="range"><input name="min" type="number" min="5" data-error-range="range">
  <input name="short" minlength="3" data-error-length="length">
  <input aria-label="Without a name"><button type="submit">Continue</button>
</form>`;
const DONE = '<section data-funnel-done hidden><h2>Done</h2></section>';

const ALL_FIELDS = `<form data-funnel-step="all" method="dialog">
  <input name="area" value=" 85,5 "><input name="count" type="number" value="3"><input name="date" type="date">
  <textarea name="notes"></textarea>
  <input type="radio" name="kind" value="a"><input type="radio" name="kind" value="b" checked>
  <input type="radio" name="other" value="a">
  <input type="checkbox" name="one" checked><input type="checkbox" name="off">
  <input type="checkbox" name="many" value="x" checked><input type="checkbox" name="many" value="y">
  <input type="checkbox" name="none" value="x"><input type="checkbox" name="none" value="y">
  <select name="choice"><option value="">Choose</option><option selected>Red</option></select>
  <select name="choices" multiple><option selected>Red</option><option selected>Blue</option></select>
  <input name="address.city" value="Town"><input name="address.street">
  <input name="empty.city"><input type="hidden" name="hidden" value="h">
  <input name="disabled" value="x" disabled><input value="without a name">
  <fieldset disabled><input name="in_disabled" value="x"></fieldset>
  <div data-funnel-assistant><textarea name="question" data-funnel-question>Why?</textarea></div>
  <button type="submit" name="button" value="x">Continue</button>
</form>`;

function startPages() {
  const client = stub().pagesUrl.slice(0, -1);
  const script = (attributes = '') =>
    `<script ${attributes} src="${client}/${ALIAS_FOLDER}/funnel.js" data-funnel="${FUNNEL_ID}" data-api="${stub().url}"
      data-consent="granted" data-version="version-id"></script>`;
  const texts =
    '<script type="application/json" data-funnel-texts>{"sending":"Wird gesendet.","required":"Bitte ausfüllen."}</script>';
  const files = {
    '/': `${script('async')}<main>${ONE}${TWO}${DONE}</main>`,
    '/end': `<main>${ONE}${TWO}${DONE}</main>${script()}`,
    '/start': `${script()}<main>${ONE}${TWO}${DONE}</main>`,
    '/all': `${script('async')}${ALL_FIELDS}${DONE}`,
    '/texts': `<html lang="de">${script('async')}${texts}${ONE}${DONE}`,
    '/without-end': `<html lang="en">${script('async')}${ONE}${VERIFICATION}`,
    '/alone': `${script('async')}${ONE}`,
    '/back': `${script('async')}${ONE.replace('</form>', `${BACK}</form>`)}${DONE}`,
    '/file': `${script('async')}${FILE}${DONE}`,
    '/limits': `${script('async')}${LIMITS}${DONE}`,
    '/wrong-texts': `${script('async')}${texts.replace('{', '')}${ONE}${DONE}`,
    '/throws': `<script src="/throws.js"></script>${script('async')}${ONE}${DONE}`,
    '/throws.js': `window.tributary = [
      () => { throw new Error('An error of the page.'); },
      (funnel) => funnel.track('after the error'),
    ];`,
    '/none': `${script('async')}<p>No form.</p>`,
    '/module': `<main>${ONE}${TWO}${DONE}</main><script type="module" src="/module.js"></script>`,
    '/module.js': `import { createFunnel } from '${client}/${ALIAS_FOLDER}/funnel.mjs';
      import { bindForms } from '${client}/${ALIAS_FOLDER}/form.mjs';
      const funnel = createFunnel({ funnelId: '${FUNNEL_ID}', apiUrl: '${stub().url}' });
      await bindForms(funnel, { texts: { required: 'From the options.' } });
      await bindForms(funnel);`,
  };
  return startSite(files, { api: stub().url, client });
}

async function open(path = '/', context?: BrowserContext): Promise<Page> {
  const page = await (context ?? (await browser().newContext())).newPage();
  await page.goto(site.url + path);
  await bound(page);
  return page;
}

const bound = (page: Page) => page.locator('form [data-funnel-status]').first().waitFor({ state: 'attached' });
const submits = () => stub().bodies('/submit');
const datas = () => submits().map(({ data }) => data);
const goOn = (page: Page) => page.getByRole('button', { name: 'Continue' }).click();
const heading = (page: Page, name: string) => page.getByRole('heading', { name });
const status = (page: Page) => page.getByRole('status').locator('visible=true');
const kinds = () =>
  stub()
    .bodies('/e')
    .flatMap(({ events }) => events)
    .map(({ payload, stepId, stepIndex }) => [payload.type, stepId, stepIndex]);
const invalid =
  (errors: { field: string; code: string; message: string }[]) => (response: Parameters<typeof reply>[0]) =>
    reply(response, 422, {
      error: { code: 'validation_failed', message: '', validation_errors: errors },
      data: HANDLE,
    });
const saved = (response: Parameters<typeof reply>[0]) => reply(response, 200, { data: HANDLE });
const isFocused = (page: Page, label: string) =>
  page.getByLabel(label).evaluate((element) => element.matches(':focus'));

async function takeFirstStep(page: Page): Promise<void> {
  await takeFirstStepTo(page, 'Two');
}

async function takeFirstStepTo(page: Page, next: string): Promise<void> {
  await bound(page);
  await page.getByLabel('Name').fill('Kim');
  await goOn(page);
  await heading(page, next).waitFor();
}

test.each(['/', '/start', '/end', '/module'])(
  '%s: shows one step at a time, and submits each to the same lead',
  async (path) => {
    const page = await open(path);
    await heading(page, 'One').waitFor();
    expect(await heading(page, 'Two').isVisible()).toBe(false);
    await takeFirstStep(page);
    expect(await heading(page, 'One').isVisible()).toBe(false);
    expect(await heading(page, 'Two').evaluate((element) => element.matches(':focus'))).toBe(true);
    await page.getByLabel('E-mail').fill('kim@example.com');
    await page.keyboard.press('Enter');
    await heading(page, 'Done').waitFor();
    // The next person at the device finds no values.
    expect(await page.locator('input[name=name]').inputValue()).toBe('');
    expect(submits()).toMatchObject([
      { step_id: 'one', data: { name: 'Kim' } },
      { step_id: 'two', lead_id: HANDLE.id, update_token: HANDLE.update_token, data: { email: 'kim@example.com' } },
    ]);
  },
);

test('values are sent as the submit operation expects them', async () => {
  const page = await open('/all');
  await goOn(page);
  await heading(page, 'Done').waitFor();
  expect(submits()).toEqual([
    expect.objectContaining({
      funnel_version_id: 'version-id',
      data: {
        area: '85,5',
        count: '3',
        date: null,
        notes: null,
        kind: 'b',
        other: null,
        one: true,
        off: false,
        many: ['x'],
        none: [],
        choice: 'Red',
        choices: ['Red', 'Blue'],
        address: { city: 'Town' },
        empty: null,
        hidden: 'h',
      },
    }),
  ]);
});

test('neither a double click nor Enter during a submit sends a second submit', async () => {
  const responded = Promise.withResolvers<void>();
  stub().answer('/submit', async (response) => {
    await responded.promise;
    saved(response);
  });
  const page = await open();
  await page.getByLabel('Name').fill('Kim');
  await page.getByRole('button', { name: 'Continue' }).dblclick();
  await page.getByLabel('Name').press('Enter');
  await status(page).filter({ hasText: 'Sending' }).waitFor();
  responded.resolve();
  await heading(page, 'Two').waitFor();
  expect(submits()).toHaveLength(1);
});

test('422: each error is shown at its field, the first invalid field has the focus, and a corrected field shows no error', async () => {
  stub().answer(
    '/submit',
    saved,
    invalid([
      { field: 'address', code: 'type', message: 'Not an address.' },
      { field: 'interests', code: 'required', message: 'Choose one.' },
      { field: 'email', code: 'format', message: 'Must be an e-mail address.' },
      { field: 'elsewhere', code: 'required', message: 'The field is required.' },
    ]),
    saved,
  );
  const page = await open();
  await takeFirstStep(page);
  await page.getByLabel('E-mail').fill('kim@example');
  await goOn(page);
  // The page's text for the error replaces the message of the service.
  const email = page.getByRole('textbox', { name: 'E-mail', description: 'Check the address.' });
  await email.waitFor();
  expect(await isFocused(page, 'E-mail')).toBe(true);
  for (const name of ['Town', 'Street'])
    expect(await page.getByRole('textbox', { name, description: 'Not an address.' }).isVisible()).toBe(true);
  expect(await page.getByRole('group', { name: 'Interests' }).getByText('Choose one.').isVisible()).toBe(true);
  expect(await page.locator('[aria-invalid=true]').count()).toBe(5);
  expect(await status(page).textContent()).toContain('elsewhere: The field is required.');

  await page.getByLabel('Street').fill('Way 1');
  expect(await page.getByText('Not an address.').isVisible()).toBe(false);
  expect(
    await page.locator('[aria-invalid=true]').evaluateAll((all) => all.map((one) => one.getAttribute('name'))),
  ).toEqual(['email', 'interests', 'interests']);
  await page.getByLabel('E-mail').fill('kim@example.com');
  await page.getByLabel('Panels').check();
  await goOn(page);
  await heading(page, 'Done').waitFor();
  expect(datas().at(-1)).toEqual({
    email: 'kim@example.com',
    address: { street: 'Way 1' },
    interests: ['panels'],
  });
});

test('an error that the browser itself finds is shown at its field, and the step is not sent', async () => {
  const page = await open();
  await goOn(page);
  const name = page.locator('input[name=name]');
  const message = await name.evaluate((input: HTMLInputElement) => input.validationMessage);
  await page.getByRole('textbox', { name: 'Name', description: message }).waitFor();
  expect(await isFocused(page, 'Name')).toBe(true);
  await name.fill('Kim');
  expect(await name.getAttribute('aria-invalid')).toBeNull();
  await goOn(page);
  await heading(page, 'Two').waitFor();
  await page.getByLabel('E-mail').fill('not an address');
  await goOn(page);
  await page.getByText('Check the address.').waitFor();
  expect(submits()).toHaveLength(1);
});

test('without a connection, the visitor reads that the answers are kept; they are sent when the connection returns', async () => {
  const context = await browser().newContext();
  const page = await open('/', context);
  await context.setOffline(true);
  await page.getByLabel('Name').fill('Kim');
  await goOn(page);
  await status(page).filter({ hasText: 'Your answers are kept' }).waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Kim');
  await context.setOffline(false);
  await heading(page, 'Two').waitFor();
  expect(datas()).toEqual([{ name: 'Kim', phone: null }]);
});

test('during a submit, the visitor cannot go back, because the outcome of the submit decides which step is next', async () => {
  const responded = Promise.withResolvers<void>();
  stub().answer('/submit', saved, async (response) => {
    await responded.promise;
    saved(response);
  });
  const page = await open();
  await takeFirstStep(page);
  await goOn(page);
  await page.getByRole('button', { name: 'Back' }).click();
  expect(await heading(page, 'Two').isVisible()).toBe(true);
  responded.resolve();
  await heading(page, 'Done').waitFor();
});

test('a change during a submit is sent as an update before the next step is shown', async () => {
  const responded = Promise.withResolvers<void>();
  stub().answer(
    '/submit',
    async (response) => {
      await responded.promise;
      saved(response);
    },
    saved,
  );
  const page = await open();
  await page.getByLabel('Name').fill('Kim');
  await goOn(page);
  await expect.poll(() => submits().length).toBe(1);
  await page.getByLabel('Name').fill('Kim Example');
  responded.resolve();
  await heading(page, 'Two').waitFor();
  expect(submits()).toMatchObject([{ data: { name: 'Kim' } }, { data: { name: 'Kim Example' }, lead_id: HANDLE.id }]);
});

test('after a reload, the visitor continues at the next step, and the device stores no value of a saved step', async () => {
  const page = await open();
  await takeFirstStep(page);
  await page.reload();
  await heading(page, 'Two').waitFor();
  const stored = await page.evaluate(async () => {
    const [{ name = '' } = {}] = await indexedDB.databases();
    const database = await new Promise<IDBDatabase>((resolve) => {
      const opening = indexedDB.open(name);
      opening.onsuccess = () => resolve(opening.result);
    });
    const reading = database.transaction('state').objectStore('state').getAll();
    await new Promise((resolve) => {
      reading.onsuccess = resolve;
    });
    return JSON.stringify([reading.result, { ...localStorage }, { ...sessionStorage }]);
  });
  expect(stored).toContain(HANDLE.id);
  expect(stored).not.toContain('Kim');
});

test('after a reload, empty fields do not clear the values of the lead', async () => {
  const page = await open();
  await page.getByLabel('Phone').fill('030 901820');
  await takeFirstStep(page);
  await page.reload();
  await heading(page, 'Two').waitFor();
  await page.getByRole('button', { name: 'Back' }).click();
  await page.getByLabel('Name').fill('Kim Example');
  await goOn(page);
  await heading(page, 'Two').waitFor();
  expect(datas()).toEqual([{ name: 'Kim', phone: '030 901820' }, { name: 'Kim Example' }]);
});

test('a step that is not changed is not sent again', async () => {
  const page = await open();
  await takeFirstStep(page);
  await page.getByRole('button', { name: 'Back' }).click();
  expect(await page.getByLabel('Name').inputValue()).toBe('Kim');
  await goOn(page);
  await heading(page, 'Two').waitFor();
  expect(submits()).toHaveLength(1);
  await page.getByRole('button', { name: 'Back' }).click();
  await page.getByLabel('Name').fill('Kim Example');
  await goOn(page);
  await heading(page, 'Two').waitFor();
  expect(datas()).toEqual([
    { name: 'Kim', phone: null },
    { name: 'Kim Example', phone: null },
  ]);
});

test('the page sends step_view, start, step_submit and complete; after a reload, a submit creates another lead', async () => {
  const context = await browser().newContext();
  const page = await open('/', context);
  await takeFirstStep(page);
  await page.getByLabel('E-mail').fill('kim@example.com');
  await goOn(page);
  await heading(page, 'Done').waitFor();
  await expect.poll(kinds).toEqual([
    ['step_view', 'one', 0],
    ['start', 'one', 0],
    ['step_submit', 'one', 0],
    ['step_view', 'two', 1],
    ['step_submit', 'two', 1],
    ['complete', undefined, undefined],
  ]);
  await page.reload();
  await bound(page);
  await takeFirstStep(page);
  expect(submits().map(({ lead_id }) => lead_id)).toEqual([undefined, HANDLE.id, undefined]);
});

test('the event step_view precedes start, even if the visitor types before the lead is read', async () => {
  const page = await (await browser().newContext()).newPage();
  await page.addInitScript(() => {
    const observer = new MutationObserver(() => {
      if (!document.querySelector('[data-funnel-status]')) return;
      observer.disconnect();
      document.querySelector('input')?.dispatchEvent(new Event('input', { bubbles: true }));
    });
    observer.observe(document, { childList: true, subtree: true });
  });
  await page.goto(site.url);
  await expect.poll(kinds).toEqual([
    ['step_view', 'one', 0],
    ['start', 'one', 0],
  ]);
});

test('404: the visitor reads that the submit was refused, and can try again', async () => {
  stub().answer('/submit', refuse(404, 'not_found'), saved);
  const page = await open();
  await page.getByLabel('Name').fill('Kim');
  await goOn(page);
  await status(page).filter({ hasText: 'could not be accepted' }).waitFor();
  await goOn(page);
  await heading(page, 'Two').waitFor();
});

test('only pages with a form load the form binding; they load it again if the first attempt fails', async () => {
  const context = await browser().newContext();
  const loaded: string[] = [];
  await context.route(`**/${ALIAS_FOLDER}/form*.mjs*`, async (route) => {
    loaded.push(new URL(route.request().url()).pathname);
    await (loaded.length === 1 ? route.abort('connectionreset') : route.continue());
  });
  const page = await context.newPage();
  await page.goto(`${site.url}/none`);
  await page.waitForFunction('window.tributary?.push');
  expect(loaded).toEqual([]);
  await page.goto(`${site.url}/`);
  // A submit before the form binding is loaded has no effect.
  await page.getByLabel('Name').fill('Kim');
  await goOn(page);
  expect(page.url()).toBe(`${site.url}/`);
  await bound(page);
  await goOn(page);
  await heading(page, 'Two').waitFor();
  expect(loaded).toEqual([`/${ALIAS_FOLDER}/form.mjs`, `/${ALIAS_FOLDER}/form.mjs`]);
});

test('a page needs no element data-funnel-done', async () => {
  const page = await open('/without-end');
  await page.getByLabel('Name').fill('Kim');
  await goOn(page);
  await expect.poll(() => stub().bodies('/mfa/send').length, { timeout: 10_000 }).toBe(1);
  await page.getByRole('button', { name: 'Later' }).click();
  await page.waitForTimeout(500);
  expect(await page.locator('form:visible').count()).toBe(0);
  expect(stub().bodies('/mfa/send')).toHaveLength(1);
});

test('at the end of the funnel, all forms are reset, even on a page without an element data-funnel-done', async () => {
  const page = await open('/alone');
  await page.getByLabel('Name').fill('Kim');
  await goOn(page);
  await heading(page, 'One').waitFor({ state: 'hidden' });
  expect(await page.locator('input[name=name]').inputValue()).toBe('');
});

test('a button that goes back a step has no effect in the first step', async () => {
  const page = await open('/back');
  await page.getByLabel('Name').fill('Kim');
  await page.getByRole('button', { name: 'Back' }).click();
  expect(await heading(page, 'One').isVisible()).toBe(true);
  expect(await page.getByLabel('Name').inputValue()).toBe('Kim');
});

test('if the module for uploads cannot be loaded, a step with an empty file input is still submitted', async () => {
  const context = await browser().newContext();
  await context.route('**/form-parts.mjs*', (route) => route.abort('connectionreset'));
  const page = await open('/file', context);
  await goOn(page);
  await heading(page, 'Done').waitFor();
  expect(datas()).toEqual([{ photo: null }]);
});

test('if a file is chosen but the upload module cannot be loaded, the visitor reads that there is no connection', async () => {
  const context = await browser().newContext();
  let isBroken = true;
  await context.route('**/form-parts.mjs*', (route) => (isBroken ? route.abort('connectionreset') : route.continue()));
  const page = await open('/file', context);
  await page.locator('[name=photo]').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('a') });
  await goOn(page);
  await status(page).filter({ hasText: 'No connection.' }).waitFor();
  expect(datas()).toEqual([]);
  isBroken = false;
  await expect.poll(() => stub().received('/upload').length, { timeout: 15_000 }).toBe(1);
});

test('errors that the browser finds have the codes of the service', async () => {
  const page = await open('/limits');
  const values = { url: 'x', pattern: 'b', count: '1.5', max: '6', min: '4', short: 'ab' };
  for (const [name, value] of Object.entries(values)) await page.locator(`[name=${name}]`).pressSequentially(value);
  await goOn(page);
  const texts = () =>
    page
      .locator('[data-funnel-error]:visible')
      .evaluateAll((all) => all.map((one) => `${one.dataset.funnelError} ${one.textContent}`));
  const errors = [
    'required required',
    'url format',
    'pattern format',
    'count type',
    'max range',
    'min range',
    'short length',
  ];
  expect(await texts()).toEqual(errors);
  await page.getByLabel('Without a name').fill('x');
  expect(await texts()).toEqual(errors);
});

test('if data-funnel-texts is not JSON, an error is reported, and the form still works', async () => {
  const page = await browser().newPage();
  const reported = page.waitForEvent('pageerror');
  await page.goto(`${site.url}/wrong-texts`);
  expect((await reported).message).toContain('data-funnel-texts');
  await takeFirstStepTo(page, 'Done');
});

test('if a queued function throws, the other queued functions and the forms still work', async () => {
  const page = await browser().newPage();
  const reported = page.waitForEvent('pageerror');
  await page.goto(`${site.url}/throws`);
  expect((await reported).message).toBe('An error of the page.');
  await takeFirstStepTo(page, 'Done');
  await expect.poll(kinds).toContainEqual(['after the error', undefined, undefined]);
});

test('the page or the options can replace the texts of the form binding', async () => {
  stub().answer('/submit', breakOff);
  const page = await open('/texts');
  await goOn(page);
  await page.getByRole('textbox', { name: 'Name', description: 'Bitte ausfüllen.' }).waitFor();
  await page.getByLabel('Name').fill('Kim');
  await goOn(page);
  await status(page).filter({ hasText: 'Wird gesendet.' }).waitFor();
  const other = await open('/module');
  await goOn(other);
  await other.getByRole('textbox', { name: 'Name', description: 'From the options.' }).waitFor();
});
