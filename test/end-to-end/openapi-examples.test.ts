import { expect, test } from 'vitest';
import { operations } from '../../functions/declarations.ts';
import { aiStreamOperation } from '../../functions/funnel/ai-stream/operation.ts';
import { ingestAnalyticsOperation } from '../../functions/funnel/ingest-analytics/operation.ts';
import { checkVerificationCodeOperation } from '../../functions/funnel/mfa-check/operation.ts';
import { sendVerificationCodeOperation } from '../../functions/funnel/mfa-send/operation.ts';
import { submitOperation } from '../../functions/funnel/submit/operation.ts';
import { uploadOperation } from '../../functions/funnel/upload/operation.ts';
import { voiceWebhookOperation } from '../../functions/training/voice-webhook/operation.ts';
import { buildOpenApiDocument } from '../../infra/openapi/document.ts';
import { type Operation, successStatus } from '../../shared/http/operation.ts';
import { useLocalRuntime } from '../support/local/use-local-runtime.ts';
import { signatureOf } from '../support/training/voice-webhook.ts';

// Uses a new service, because other test files open training sessions, and a user may open only ten per minute.
const runtime = useLocalRuntime({ isNew: true, isChanged: true });

type Json = Record<string, unknown>;
type Said = { path?: Json; query?: Json; headers?: Json; body?: unknown };

const document = buildOpenApiDocument(operations) as {
  paths: Record<string, Record<string, { responses: Record<string, { headers: object }> }>>;
};

/** General headers of responses, which the document does not list. */
const GENERAL =
  /^(?:access-control-.*|connection|content-.*|date|keep-alive|strict-transport-security|transfer-encoding|vary|x-(?:accel-buffering|content-type-options))$/;

/**
 * Sends a request, with an admin's token unless the operation is public. Expects the status of success, a body that
 * matches the declaration, and, apart from `GENERAL`, only headers that the document lists.
 */
async function send(declared: Operation, { path = {}, query = {}, headers = {}, body }: Said): Promise<unknown> {
  const { baseUrl, tokens } = runtime.demo;
  const url = new URL(baseUrl + declared.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(path[name])));
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  const isForm = body instanceof FormData;
  const response = await fetch(url, {
    method: declared.method,
    headers: {
      ...(declared.auth !== 'public' && { authorization: `Bearer ${tokens.adminAB}` }),
      ...(!isForm && body !== undefined && { 'content-type': 'application/json' }),
      ...(headers as Record<string, string>),
    },
    ...(body !== undefined && { body: isForm || typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const status = successStatus(declared);
  expect([response.status, text]).toEqual([status, expect.any(String)]);
  const described = document.paths[declared.path]?.[declared.method.toLowerCase()]?.responses[status]?.headers ?? {};
  const listed = Object.keys(described).map((name) => name.toLowerCase());
  const sent = [...response.headers.keys()].filter((name) => !GENERAL.test(name));
  expect(listed).toEqual(expect.arrayContaining(sent));
  const isText = declared.streamContentTypes !== undefined || declared.isPage;
  const reply: unknown = isText ? text : JSON.parse(text);
  expect(declared.responses[status]?.safeParse(reply).error).toBeUndefined();
  return reply;
}

const exampleOf = ({ examples }: Operation): Said & { form?: Json } => examples?.request ?? {};

/** Sends the example request of an operation. @param own values that replace those of the example's body */
const sendExample = (declared: Operation, own: Json = {}) => {
  const { body, ...said } = exampleOf(declared);
  return send(declared, { ...said, ...(body !== undefined && { body: { ...(body as Json), ...own } }) });
};

/** Operations whose examples need new values, the current time or a form. These examples have separate tests. */
const WITH_NEW_VALUES: readonly Operation[] = [
  submitOperation,
  sendVerificationCodeOperation,
  checkVerificationCodeOperation,
  ingestAnalyticsOperation,
  voiceWebhookOperation,
  uploadOperation,
];

/** The order in which the examples are sent. Deletions come last, because they would make later reads fail. */
const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'];
const inOrder = operations.toSorted((a, b) => METHODS.indexOf(a.method) - METHODS.indexOf(b.method));

test.each(inOrder.filter((declared) => !WITH_NEW_VALUES.includes(declared)))(
  '$id: the example succeeds with the demo',
  async (declared) => {
    const reply = await sendExample(declared);
    const example = declared.examples?.response;
    if (declared === aiStreamOperation) expect(reply).toMatch(/\w/);
    else if (declared.isPage) expect(reply).toMatch(/<h1>/);
    else expect(Object.keys(reply as Json)).toEqual(expect.arrayContaining(Object.keys(example as Json)));
  },
);

test('the examples of submit, mfa/send and mfa/check succeed if they are sent in this order', async () => {
  const { data } = (await sendExample(submitOperation)) as { data: { id: string; update_token: string } };
  const handle = { lead_id: data.id, update_token: data.update_token };
  expect(await sendExample(sendVerificationCodeOperation, handle)).toEqual(
    sendVerificationCodeOperation.examples.response,
  );
  type Mail = { to: string[]; text: string };
  const { messages } = (await (await fetch(runtime.demo.mailbox)).json()) as { messages: Mail[] };
  // The last message to the address contains the code, because mails about new leads go to other addresses.
  const { email } = submitOperation.examples.request.body.data;
  const [code] = messages.findLast(({ to }) => to.includes(email))?.text.match(/\d{6}/) ?? [];
  expect(await sendExample(checkVerificationCodeOperation, { ...handle, code })).toEqual(
    checkVerificationCodeOperation.examples.response,
  );
});

test('200: the example of ingest-analytics succeeds with the current time', async () => {
  const [event] = ingestAnalyticsOperation.examples.request.body.events;
  const events = [{ ...event, timestamp: new Date().toISOString() }];
  expect(await sendExample(ingestAnalyticsOperation, { events })).toEqual(ingestAnalyticsOperation.examples.response);
});

test('200: the example of voice-webhook succeeds with a current signature', async () => {
  const body = JSON.stringify(voiceWebhookOperation.examples.request.body);
  const signed = { atMs: Date.now(), secret: runtime.demo.webhook.secret };
  const reply = await send(voiceWebhookOperation, { headers: signatureOf(body, signed), body });
  expect(reply).toEqual(voiceWebhookOperation.examples.response);
});

test('200: both examples of upload succeed: the form, and the announcement of a larger file', async () => {
  const { file, ...texts } = uploadOperation.examples.request.form;
  const form = new FormData();
  for (const [name, text] of Object.entries(texts)) form.set(name, text);
  form.set('file', new Blob([file]), 'plan.pdf');
  const stored = await send(uploadOperation, { body: form });
  expect(stored).toEqual({ data: expect.objectContaining({ name: 'plan.pdf', mimeType: 'application/pdf' }) });
  const announced = (await sendExample(uploadOperation)) as Json;
  expect(Object.keys(announced)).toEqual(Object.keys(uploadOperation.examples.response));
});

test('the examples use the ids of the demo', () => {
  const { funnel, organizations, caseId, landingPageId } = runtime.demo;
  const shown = JSON.stringify(operations.map(({ examples }) => examples?.request));
  for (const id of [funnel.id, funnel.uploadBlockId, organizations.a.id, organizations.b.id, caseId, landingPageId])
    expect(shown).toContain(id);
});
