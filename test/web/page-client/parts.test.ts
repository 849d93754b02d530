import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALIAS_FOLDER } from '../../../infra/page-client/delivery.ts';
import type { Funnel } from '../../../web/page-client/funnel.d.mts';
import { noisePng } from '../../support/browser/png.ts';
import { startSite } from '../../support/browser/site.ts';
import { withBorrowedRuntime } from '../../support/browser/with-runtime.ts';

type Parts = typeof import('../../../web/page-client/verification.d.mts') &
  typeof import('../../../web/page-client/upload.d.mts') &
  typeof import('../../../web/page-client/assistant.d.mts');

declare global {
  interface Window {
    funnel: Funnel;
    parts: Parts;
    /** What the code input has reported. */
    codes: string[];
    violations: string[];
  }
}

const { demo, browser } = withBorrowedRuntime();
let site: Awaited<ReturnType<typeof startSite>>;
beforeAll(async () => {
  site = await startShop();
});
afterAll(() => site?.close());

/**
 * The site of an organization with a strict Content-Security-Policy, on another origin than the client, the API and
 * S3.
 */
function startShop() {
  const { baseUrl, pages, funnel, aws } = demo();
  const client = new URL(ALIAS_FOLDER, pages.funnel).href;
  const listen = `window.violations = [];
    addEventListener('securitypolicyviolation', ({ violatedDirective }) => violations.push(violatedDirective));`;
  const html = (scripts: string) => `<!doctype html><html lang="en"><title>Shop</title>${scripts}
    <label>Code <input id="code" maxlength="6"></label><label>File <input id="file" type="file"></label></html>`;
  const files = {
    '/module': html('<script type="module" src="/module.js"></script>'),
    '/module.js': `${listen}
      import { createFunnel } from '${client}/funnel.mjs';
      import * as verification from '${client}/verification.mjs';
      import * as upload from '${client}/upload.mjs';
      import * as assistant from '${client}/assistant.mjs';
      window.parts = { ...verification, ...upload, ...assistant };
      window.funnel = createFunnel({ funnelId: '${funnel.id}', apiUrl: '${baseUrl}' });`,
    '/classic': html(`<script src="/classic.js"></script>
      <script async src="${client}/funnel.js" data-funnel="${funnel.id}" data-api="${baseUrl}"></script>`),
    '/classic.js': `${listen}
      window.tributary = [async (funnel) => {
        const names = ['verification', 'upload', 'assistant'];
        window.parts = Object.assign({}, ...(await Promise.all(names.map((name) => funnel.load(name)))));
        window.funnel = funnel;
      }];`,
  };
  return startSite(files, { api: `${baseUrl} ${new URL(aws.s3).origin}`, client: new URL(client).origin });
}

async function open(path: '/module' | '/classic'): Promise<Page> {
  const page = await (await browser().newContext()).newPage();
  await page.goto(site.url + path);
  await isReady(page);
  return page;
}

const isReady = (page: Page) => page.waitForFunction(() => window.funnel !== undefined);
const violations = (page: Page) => page.evaluate(() => window.violations);

type Mailbox = { emails: { destination: { to: string[] }; body: { text: string } }[] };

async function codeFor(address: string): Promise<string> {
  const { emails } = (await (await fetch(demo().mailbox)).json()) as Mailbox;
  const texts = emails.filter(({ destination }) => destination.to.includes(address)).map(({ body }) => body.text);
  return /\b\d{6}\b/.exec(texts.at(-1) ?? '')?.[0] ?? '';
}

test.each(['/module', '/classic'] as const)('%s: a visitor verifies an address, also after a reload', async (path) => {
  const address = `kim${path.slice(1)}@shop.example`;
  const page = await open(path);
  const sent = await page.evaluate(async (email) => {
    const { funnel, parts } = window;
    await funnel.submit({ data: { email }, step: 'contact' });
    const verification = parts.createVerification(funnel);
    // A double click.
    const outcomes = await Promise.all([verification.send(), verification.send()]);
    return outcomes[1];
  }, address);
  expect(sent).toMatchObject({ status: 'sent', channel: 'email', maskedDestination: expect.stringContaining('***') });

  await page.reload();
  await isReady(page);
  const state = await page.evaluate(async () => {
    const { funnel, parts } = window;
    window.codes = [];
    parts.bindCodeInput(document.querySelector('#code') as HTMLInputElement, (code) => window.codes.push(code));
    return parts.createVerification(funnel).state();
  });
  expect(state.sent).toMatchObject({ channel: 'email' });
  expect(state.resendSeconds).toBeGreaterThan(0);
  expect(state.resendSeconds).toBeLessThanOrEqual(30);

  const code = await codeFor(address);
  await page.locator('#code').fill(`Your code: ${code.slice(0, 3)} ${code.slice(3)}.`);
  expect(await page.evaluate(() => window.codes)).toEqual([code]);
  const wrong = code === '111111' ? '222222' : '111111';
  const outcomes = await page.evaluate(
    async (codes) => {
      const verification = window.parts.createVerification(window.funnel);
      const all = [];
      for (const one of codes) all.push(await verification.check(one));
      return all;
    },
    [wrong, code],
  );
  expect(outcomes).toEqual([{ status: 'incorrect' }, { status: 'verified', contactField: 'email' }]);
  expect(await violations(page)).toEqual([]);
});

test.each([
  ['in a form', 300, 200],
  ['directly to S3', 1_300, 1_100],
])(
  'a photo is uploaded %s, the upload reports its progress, and a lead can refer to the photo',
  async (_how, width, height) => {
    const page = await open('/module');
    const buffer = noisePng(width, height);
    await page.locator('#file').setInputFiles({ name: 'roof.png', mimeType: 'image/png', buffer });
    const place = { organizationId: demo().organizations.a.id, blockId: demo().funnel.uploadBlockId };
    const { uploaded, shares, outcome } = await page.evaluate(async (target) => {
      const { funnel, parts } = window;
      const [file] = (document.querySelector('#file') as HTMLInputElement).files ?? [];
      if (!file) throw new Error('There is no file.');
      const shares: number[] = [];
      const onProgress = (share: number) => void shares.push(share);
      const uploaded = await parts.uploadFile(funnel, file, { ...target, onProgress });
      const data = { residents: 4, roof_photo: uploaded.uuid };
      return { uploaded, shares, outcome: await funnel.submit({ data, step: 'details' }) };
    }, place);
    expect(uploaded).toMatchObject({ name: 'roof.png', size: buffer.length, mimeType: 'image/png' });
    expect(shares[0]).toBe(0);
    expect(shares.at(-1)).toBe(1);
    expect(shares).toEqual(shares.toSorted((one, other) => one - other));
    expect(outcome).toEqual({ status: 'saved' });
    expect(await violations(page)).toEqual([]);
  },
);

test('415: a file of a type that is not accepted is rejected; an aborted upload fails with the reason of the abort', async () => {
  const page = await open('/classic');
  const place = { organizationId: demo().organizations.a.id, blockId: demo().funnel.uploadBlockId };
  const causes = await page.evaluate(async (target) => {
    const { funnel, parts } = window;
    const script = new File(['alert(1)'], 'script.html', { type: 'text/html' });
    const controller = new AbortController();
    const onProgress = () => controller.abort(new Error('The visitor cancelled.'));
    const large = new File([new Uint8Array(3_000_000)], 'roof.png', { type: 'image/png' });
    const failed = (upload: Promise<unknown>) =>
      upload.catch((cause) => ({ code: cause.code, message: cause.message }));
    return [
      await failed(parts.uploadFile(funnel, script, target)),
      await failed(parts.uploadFile(funnel, large, { ...target, signal: controller.signal, onProgress })),
    ];
  }, place);
  expect(causes).toEqual([
    { code: 'unsupported_media_type', message: expect.any(String) },
    { code: undefined, message: 'The visitor cancelled.' },
  ]);
  expect(await violations(page)).toEqual([]);
});

test('the assistant streams a reply to its end, and stops when the page aborts it', async () => {
  const page = await open('/module');
  const replies = await page.evaluate(async () => {
    const { funnel, parts } = window;
    const ask = async (stopAfter: number, prompt: string) => {
      const texts: string[] = [];
      const controller = new AbortController();
      const onText = (text: string) => {
        texts.push(text);
        if (texts.length === stopAfter) controller.abort();
      };
      const outcome = await parts.streamReply(funnel, { prompt, signal: controller.signal, onText });
      return { outcome, count: texts.length, text: texts.join('') };
    };
    return [
      await ask(Number.POSITIVE_INFINITY, 'Does a battery pay off?'),
      await ask(2, 'Does a battery pay off?'),
      await ask(Number.POSITIVE_INFINITY, ' '),
    ];
  });
  const [whole, stopped, refused] = replies;
  expect(whole?.outcome).toEqual({ status: 'complete' });
  expect(whole?.text.length).toBeGreaterThan(120);
  expect(stopped?.outcome).toEqual({ status: 'aborted' });
  expect(stopped?.count).toBe(2);
  expect(whole?.text.startsWith(stopped?.text ?? '-')).toBe(true);
  expect(refused).toMatchObject({ outcome: { status: 'rejected', code: 'bad_request' }, count: 0 });
  expect(await violations(page)).toEqual([]);
});
