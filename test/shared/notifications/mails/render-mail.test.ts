import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { Field } from '../../../../shared/funnels/funnel.ts';
import { leadSection } from '../../../../shared/notifications/mails/lead-section.ts';
import { confirmationMail, leadsMail, type Recipient } from '../../../../shared/notifications/mails/render-mail.ts';
import type { NotificationAddress } from '../../../../shared/notifications/notification-address.ts';
import { aLead } from '../../../support/leads/a-lead.ts';

const SUBMITTED = '2026-07-01T22:30:00.000Z';
const address: NotificationAddress = {
  id: randomUUID(),
  address: 'ada@shop.example',
  mode: 'each_lead',
  timeZone: 'Europe/Berlin',
  language: 'en',
  linkBaseUrl: 'https://api.shop.example',
  confirmedAt: SUBMITTED,
  unsubscribedAt: null,
  createdAt: SUBMITTED,
  updatedAt: SUBMITTED,
};
const TO: Recipient = { address, organization: 'Shop', unsubscribeUrl: 'https://api.shop.example/stop' };
const lead = (data: Record<string, unknown>) =>
  aLead({ funnelId: randomUUID(), leadId: randomUUID() }, SUBMITTED, data);
const sectionOf = (
  data: Record<string, unknown>,
  fields: readonly Field[] = [],
  fileNames = new Map<string, string>(),
) => leadSection(lead(data), { fields, fileNames, address });
const rowsOf = (...given: Parameters<typeof sectionOf>) =>
  sectionOf(...given).rows.map(({ label, value }) => `${label}: ${value}`);

test('a lead is shown with its declared fields in their order, then other values', () => {
  const fields = [
    { id: 'name', type: 'text' },
    { id: 'age', type: 'integer' },
  ].map((field) => Field.parse(field));
  expect(rowsOf({ age: 30, extra: 'x', name: 'Ada' }, fields)).toEqual(['name: Ada', 'age: 30', 'extra: x']);
});

test('a mail shows booleans as Yes or No, all items of lists, all properties of objects, names of files, and no empty values', () => {
  const uuid = randomUUID();
  const files = [Field.parse({ id: 'plan', type: 'file' })];
  const data = {
    plan: uuid,
    ok: true,
    no: false,
    list: ['a', 'b'],
    address: { city: 'Köln', zip: null },
    none: null,
    text: '',
  };
  expect(rowsOf(data, files, new Map([[uuid, 'plan.pdf']]))).toEqual([
    ...['plan: plan.pdf', 'ok: Yes', 'no: No', 'list: a, b', 'address: city: Köln'],
  ]);
  expect(rowsOf({ plan: uuid }, files)).toEqual(['plan: File']);
});

test('a mail shows at most 50 fields of a lead, at most 500 characters of each, and the number of further fields', () => {
  expect(rowsOf({ text: 'ä'.repeat(501) })).toEqual([`text: ${'ä'.repeat(500)}…`]);
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, number) => [`f${number}`, number]));
  expect(rowsOf(many)).toHaveLength(51);
  expect(rowsOf(many).at(-1)).toBe('More fields: 10');
});

test('control characters are replaced by spaces, and line breaks are kept in values but not in labels', () => {
  expect(rowsOf({ 'a\nb': 'one\r\ntwo\u0000\u202ethree' })).toEqual(['a b: one\ntwo three']);
});

test('the HTML of a mail about leads escapes all values, has no scripts or images, and contains only an unsubscribe link', () => {
  const { html, text } = leadsMail(TO, [sectionOf({ '<b>': '<img src=x onerror=alert(1)>"\'&{{subject}}' })], 0);
  expect(html).toContain('&lt;img src&#x3D;x onerror&#x3D;alert(1)&gt;&quot;&#39;&amp;{{subject}}');
  expect(html).not.toMatch(/<(?:img|script|link|iframe)|<b>/);
  expect(html.match(/(?:href|src)="[^"]*"/g)).toEqual(['href="https:&#x2F;&#x2F;api.shop.example&#x2F;stop"']);
  expect(text).toContain('<b>: <img src=x onerror=alert(1)>"\'&{{subject}}\n');
});

test('the subject contains no values of the lead, and the text shows times in the time zone of the address', () => {
  const mail = leadsMail(TO, [sectionOf({ name: 'Ada' }), sectionOf({ name: 'Ben' })], 3);
  expect(mail.subject).toBe('New leads: 5');
  expect(mail.text).toContain('Submitted: 2 Jul 2026, 00:30 (Europe/Berlin)\n');
  expect(mail.text).toContain('Further leads that are not listed: 3\n');
  expect(mail.text).toMatch(
    /--\nYou receive this e-mail because Shop .*\nUnsubscribe: https:\/\/api\.shop\.example\/stop\n$/,
  );
});

test('a line break in the name of an organization adds no header to a mail, and does not change the subject', () => {
  const to = { ...TO, organization: 'Shop\r\nBcc: eve@evil.example', unsubscribeUrl: undefined };
  const mail = confirmationMail(to, 'https://api.shop.example/confirm');
  expect(mail.sender).toBe('Shop Bcc: eve@evil.example');
  expect(mail.subject).toBe('Please confirm your e-mail address');
  expect(mail.html).toContain('<a href="https:&#x2F;&#x2F;api.shop.example&#x2F;confirm"');
});
