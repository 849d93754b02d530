import { expect, test } from 'vitest';
import { readNotificationSecret } from '../../../../functions/wiring/notifications.ts';
import { createLinkToken, type LinkPurpose } from '../../../../shared/notifications/link-token.ts';
import { useDeployedFunctions } from '../../../support/deployed/use-functions.ts';
import { aForm } from '../../../support/uploads/upload-api.ts';

const functions = useDeployedFunctions(
  'notifications/create-address',
  'notifications/show-link',
  'notifications/follow-link',
  'funnel/submit',
  'funnel/upload',
  'background/dispatch-messages',
  'background/send-notifications',
);

const HOUR_MS = 3_600_000;

async function mails(): Promise<string[]> {
  const { messages } = (await (await fetch(functions.demo().mailbox)).json()) as { messages: { text: string }[] };
  return messages.map(({ text }) => text);
}

test('an address is confirmed, gets a mail about a lead with a file, and is unsubscribed', async () => {
  const { funnel, organizations, tokens } = functions.demo();
  const orgId = organizations.a.id;
  const created = await functions.call('notifications/create-address', {
    path: { orgId },
    headers: { ...functions.bearer(tokens.adminA), 'content-type': 'application/json' },
    body: { address: 'leads@shop.example', mode: 'each_lead', language: 'en' },
  });
  const { id: addressId } = created.body as { id: string };
  const tokenFor = async (purpose: LinkPurpose) =>
    createLinkToken(await readNotificationSecret(), { orgId, addressId, purpose }, Date.now());
  await functions.run('background/send-notifications');
  expect(await mails()).toMatchObject([expect.stringContaining(await organizationName())]);
  const path = { token: await tokenFor('confirm') };
  expect(await functions.call('notifications/show-link', { path })).toMatchObject({ status: 200 });
  expect(await functions.call('notifications/follow-link', { path })).toMatchObject({ status: 200 });

  const form = aForm({
    fields: { organizationId: orgId, blockId: funnel.uploadBlockId },
    file: { name: 'plan.pdf', type: 'application/pdf', content: Buffer.from('%PDF-1.7\n%%EOF\n') },
  });
  const { uuid } = ((await functions.call('funnel/upload', { form })).body as { data: { uuid: string } }).data;
  await functions.call('funnel/submit', { path: { id: funnel.id }, body: { data: { name: 'Ada', roof_photo: uuid } } });
  await functions.run('background/dispatch-messages');
  functions.later(HOUR_MS);
  await functions.run('background/send-notifications');
  expect((await mails()).at(-1)).toContain('plan.pdf');

  const unsubscribed = await functions.call('notifications/follow-link', {
    path: { token: await tokenFor('unsubscribe') },
  });
  expect(unsubscribed).toMatchObject({ status: 200 });
});

const organizationName = async (): Promise<string> => functions.demo().organizations.a.name;
