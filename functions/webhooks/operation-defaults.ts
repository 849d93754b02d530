import * as z from 'zod/mini';
import { docsOnly } from '../../shared/http/schema-docs.ts';
import { uuid } from '../../shared/http/schemas.ts';
import { WEBHOOK_ENDPOINT_ID } from '../example-ids.ts';

export const EndpointPath = z.object({ orgId: uuid, endpointId: uuid });

export const EXAMPLE_ENDPOINT = docsOnly({
  id: WEBHOOK_ENDPOINT_ID,
  url: 'https://hooks.northlight.example/tributary',
  eventTypes: ['lead.created', 'lead.verified'],
  description: 'CRM',
  enabled: true,
  pausedAt: null,
  failingSince: null,
  createdAt: '2026-03-02T09:30:00.000Z',
  updatedAt: '2026-03-02T09:30:00.000Z',
  secretRotatedAt: null,
});

export const EXAMPLE_SECRET = docsOnly('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD2rkFpnbQ1hE=');
