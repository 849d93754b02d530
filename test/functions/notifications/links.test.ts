import { expect, test } from 'vitest';
import { createHandler } from '../../../functions/notifications/show-link/handler.ts';
import { showLinkOperation } from '../../../functions/notifications/show-link/operation.ts';
import { CONFIRMATION_DAYS } from '../../../shared/notifications/link-token.ts';
import { useDynamo } from '../../support/dynamo.ts';
import { caller } from '../../support/http.ts';
import { MINUTE, notificationWorld } from '../../support/notifications/notifications.ts';

useDynamo();

const DAY = 24 * 60 * MINUTE;

async function setUp() {
  const world = notificationWorld();
  const { body } = await world.create({ address: 'ada@shop.example', mode: 'each_lead', language: 'en' });
  await world.send();
  const [mail = expect.unreachable()] = world.mails;
  const show = caller(showLinkOperation, createHandler(world.ports));
  const status = async () => {
    const [address] = await world.addresses.list(world.orgId);
    return address && [address.confirmedAt, address.unsubscribedAt].map((time) => time !== null);
  };
  const open = (token: string, language = 'en') => show({ path: { token }, headers: { 'accept-language': language } });
  return { ...world, mail, token: world.tokenIn(mail), open, status, id: (body as { id: string }).id };
}

test('200: the page of a confirmation link has a button, runs no script, and changes nothing', async () => {
  const { open, token, status } = await setUp();
  const page = await open(token);
  expect(page).toMatchObject({
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']{44}'; form-action 'self';/,
      ),
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    },
  });
  expect(page.text).toContain('Shop &lt;GmbH&gt; wants to send e-mails about new leads to this address.');
  expect(page.text).toContain('<form method="post"><button>Confirm</button></form>');
  expect((await open(token, 'de-AT')).text).toContain('<button>Bestätigen</button>');
  expect(await status()).toEqual([false, false]);
});

test('200: a POST to a confirmation link confirms the address, and a second POST gets the same page', async () => {
  const { follow, token, status } = await setUp();
  for (const _ of ['first', 'second'])
    expect(await follow(token)).toMatchObject({ status: 200, text: expect.stringContaining('<h1>Bestätigt</h1>') });
  expect(await status()).toEqual([true, false]);
});

test('200: an expired link, a changed link and a link of a deleted address confirm nothing', async () => {
  const { follow, token, status, clock, ports, orgId } = await setUp();
  const changed = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`;
  const incomplete = { status: 200, text: expect.stringContaining('Der Link ist unvollständig') };
  const invalid = { status: 200, text: expect.stringContaining('Der Link gilt nicht mehr') };
  expect(await follow(changed)).toMatchObject(incomplete);
  clock.ms += CONFIRMATION_DAYS * DAY;
  expect(await follow(token)).toMatchObject(invalid);
  expect(await status()).toEqual([false, false]);
  clock.ms -= CONFIRMATION_DAYS * DAY;
  await ports.addresses.change(orgId, () => []);
  expect(await follow(token)).toMatchObject(invalid);
  expect(await status()).toBeUndefined();
});

test('200: one POST without login unsubscribes (RFC 8058), and the confirmation link does not undo the unsubscription', async () => {
  const world = await setUp();
  await world.follow(world.token);
  await world.lead();
  world.clock.ms += 5 * MINUTE;
  await world.send();
  const mail = world.mails.at(-1) ?? expect.unreachable();
  expect(mail.unsubscribeUrl).toBe(`https://api.shop.example/dev/api/v2/public/notifications/${world.tokenIn(mail)}`);
  expect((await world.open(world.tokenIn(mail))).text).toContain('<button>Unsubscribe</button>');
  expect(await world.status()).toEqual([true, false]);
  world.clock.ms += 365 * DAY;
  expect(await world.follow(world.tokenIn(mail), 'List-Unsubscribe=One-Click')).toMatchObject({
    status: 200,
    text: expect.stringContaining('<h1>Abbestellt</h1>'),
  });
  world.clock.ms -= 365 * DAY;
  await world.follow(world.token);
  expect(await world.status()).toEqual([true, true]);
});

test('400: rejects a path that is not a token', async () => {
  const { open, follow } = await setUp();
  expect((await open('short')).status).toBe(400);
  expect((await follow('short')).status).toBe(400);
});
