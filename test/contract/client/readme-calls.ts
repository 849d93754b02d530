import createClient from 'openapi-fetch';
import type { components, paths } from './openapi.d.ts';

/*
 * The requests of the README and the guides. A test compiles this file with types that are generated from the OpenAPI
 * document, and compares the requests with the README and the guides. This code never runs.
 */

const api = createClient<paths>({ baseUrl: 'http://127.0.0.1:3000' });
const admin = createClient<paths>({ baseUrl: 'http://127.0.0.1:3000', headers: { authorization: 'Bearer token' } });

const id = '772c7894-4dc7-502f-9d4d-d66db417f43a';
const orgId = '6a3f42ee-e1dd-5bd4-82f4-71b813da2ce1';

/** The code of an error has a fixed set of values, so that a misspelled code does not compile. */
export const isExpired = ({ error }: components['schemas']['ApiError']): boolean => error.code === 'code_expired';

export async function visit(): Promise<string> {
  const submitted = await api.POST('/api/v2/public/funnel/{id}/submit', {
    params: { path: { id } },
    body: { data: { name: 'Ada Example', email: 'ada@shop.example' }, cookie_consent: { cmp: 'usercentrics', own: 1 } },
  });
  if (submitted.data === undefined) throw new Error(submitted.error.error.message);
  const { id: lead_id, update_token }: components['schemas']['LeadHandle'] = submitted.data.data;
  await api.POST('/api/v2/public/funnel/{id}/analytics', {
    params: { path: { id } },
    body: {
      events: [
        { eventId: id, sessionId: 's', timestamp: new Date().toISOString(), payload: { type: 'start', lead_id } },
      ],
    },
  });
  const sent = await api.POST('/api/v2/public/funnel/{id}/mfa/send', {
    params: { path: { id } },
    body: { lead_id, update_token },
  });
  const checked = await api.POST('/api/v2/public/funnel/{id}/mfa/check', {
    params: { path: { id } },
    body: { lead_id, update_token, code: '123456' },
  });
  const streamed = await api.POST('/api/v2/public/funnel/{id}/ai-stream', {
    params: { path: { id } },
    body: { prompt: 'How long does the installation take?' },
    parseAs: 'stream',
  });
  const uploaded = await api.POST('/api/v2/public/funnel/upload', {
    body: { organizationId: orgId, blockId: id, name: 'plan.pdf', size: 8_000_000, mimeType: 'application/pdf' },
  });
  const file: components['schemas']['UploadedFile'] | undefined = uploaded.data?.data;
  return [sent.data?.data.masked_destination, checked.data?.data.contact_field, streamed.data, file?.uuid].join();
}

export async function webhooks(): Promise<string> {
  const path = '/api/v2/organizations/{orgId}/webhook-endpoints';
  const created = await admin.POST(path, {
    params: { path: { orgId } },
    body: { url: 'https://hooks.shop.example/tributary', eventTypes: ['lead.created'], description: 'CRM' },
  });
  const params = { path: { orgId, endpointId: created.data?.id ?? '' } };
  const tested = await admin.POST('/api/v2/organizations/{orgId}/webhook-endpoints/{endpointId}/test', { params });
  const rotated = await admin.POST('/api/v2/organizations/{orgId}/webhook-endpoints/{endpointId}/rotate-secret', {
    params,
  });
  await admin.PATCH('/api/v2/organizations/{orgId}/webhook-endpoints/{endpointId}', {
    params,
    body: { enabled: false },
  });
  const sent = await admin.GET('/api/v2/organizations/{orgId}/webhook-endpoints/{endpointId}/deliveries', { params });
  const messageId = sent.data?.deliveries[0]?.messageId ?? '';
  await admin.POST('/api/v2/organizations/{orgId}/webhook-endpoints/{endpointId}/deliveries/{messageId}/redeliver', {
    params: { path: { ...params.path, messageId } },
  });
  await admin.POST('/api/v2/organizations/{orgId}/webhook-endpoints/{endpointId}/redeliver', {
    params,
    body: { since: '2026-03-02T00:00:00.000Z' },
  });
  const listed = await admin.GET(path, { params: { path: { orgId } } });
  await admin.DELETE('/api/v2/organizations/{orgId}/webhook-endpoints/{endpointId}', { params });
  const problem: string | null | undefined = tested.data?.problem;
  return [rotated.data?.secret, problem, listed.data?.endpoints.length].join();
}

export async function notifications(): Promise<string> {
  const path = '/api/v2/organizations/{orgId}/notification-addresses';
  const created = await admin.POST(path, {
    params: { path: { orgId } },
    body: { address: 'leads@northlight.example', mode: 'each_lead', language: 'en' },
  });
  const params = { path: { orgId, addressId: created.data?.id ?? '' } };
  await admin.PATCH('/api/v2/organizations/{orgId}/notification-addresses/{addressId}', {
    params,
    body: { mode: 'daily_digest', timeZone: 'Europe/Berlin' },
  });
  const listed = await admin.GET(path, { params: { path: { orgId } } });
  await admin.DELETE('/api/v2/organizations/{orgId}/notification-addresses/{addressId}', { params });
  return [created.data?.status, listed.data?.addresses.length].join();
}

export async function work(): Promise<number> {
  const read = await admin.GET('/api/v2/organizations/{orgId}/funnels/{funnelId}/analytics/overview', {
    params: { path: { orgId, funnelId: id }, query: { range: 'today' } },
  });
  const created = await admin.POST('/api/v2/organizations/{orgId}/training/cases', {
    params: { path: { orgId } },
    body: {
      name: 'Price objection',
      description: 'Too expensive',
      situation: 'Second call',
      objective: 'Keep the price',
      successCriteria: 'A date is agreed',
      dos: [{ label: 'Names the next step' }],
    },
  });
  const session = await admin.POST('/api/v2/organizations/{orgId}/training/session', {
    params: { path: { orgId } },
    body: { caseId: created.data?.id ?? '', personaId: id },
  });
  const call = await admin.GET('/api/v2/organizations/{orgId}/training/calls/{id}', {
    params: { path: { orgId, id: session.data?.trainingCallId ?? '' } },
  });
  await admin.POST('/api/v2/organizations/{orgId}/landing-pages/{pageId}/copy', {
    params: { path: { orgId, pageId: id }, header: { 'idempotency-key': id } },
    body: { targetOrganizationId: orgId, copyAssets: true },
  });
  await admin.DELETE('/api/v2/organizations/{orgId}/domains/{assetId}', { params: { path: { orgId, assetId: id } } });
  const conversionRate: number = read.data?.overview.conversionRate ?? 0;
  return conversionRate + (call.data?.score?.total ?? 0);
}
