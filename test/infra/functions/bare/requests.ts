import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { operations } from '../../../../functions/declarations.ts';
import { PRELUDE_END } from '../../../../infra/local/lambda/globals.ts';
import { DEMO_IDS } from '../../../../infra/local/seed/demo-ids.ts';
import type { HttpErrorCode } from '../../../../shared/http/errors.ts';
import { type Operation, successStatus } from '../../../../shared/http/operation.ts';
import { exampleRequest } from '../../../support/example-request.ts';
import { proxyEvent, type Request } from '../../../support/http.ts';
import { signatureOf, transcription } from '../../../support/training/voice-webhook.ts';
import { aPng } from '../../../support/uploads/sample-files.ts';
import { aForm, FORM_HEADERS } from '../../../support/uploads/upload-api.ts';

export type Lead = { lead_id: string; update_token: string };

type RequestWorld = {
  lead(): Promise<Lead>;
  standIns: { voiceWebhookSecret: string };
  tokens: { admin: string };
};

/** A request, and the response that shows that the function ran to its end. */
type Expected = { status: number; code?: HttpErrorCode; event: APIGatewayProxyEvent };

const ProxyResult = z.object({
  statusCode: z.number(),
  headers: z._default(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])), {}),
  multiValueHeaders: z._default(z.record(z.string(), z.array(z.string())), {}),
  body: z._default(z.string(), ''),
});

/** Reads the response from the outcome of a function. @throws Error if the outcome contains no valid response */
export function responseOf(outcome: object) {
  const known = Succeeded.safeParse(outcome);
  if (!known.success) throw new Error(`The function returned no response: ${JSON.stringify(outcome)}.`);
  const { bytes, streamed } = known.data;
  const { headers, ...response } = streamed ? streamedResponse(bytes) : ProxyResult.parse(JSON.parse(bytes.toString()));
  const lowered: Record<string, string> = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
  return {
    status: response.statusCode,
    headers: lowered,
    text: response.body,
  };
}

const Succeeded = z.object({ kind: z.literal('answered'), bytes: z.instanceof(Buffer), streamed: z.boolean() });

function streamedResponse(bytes: Buffer): z.infer<typeof ProxyResult> {
  const end = bytes.indexOf(PRELUDE_END);
  const prelude = ProxyResult.parse(JSON.parse(bytes.subarray(0, end).toString()));
  return { ...prelude, body: bytes.subarray(end + PRELUDE_END.length).toString() };
}

const SavedLead = z.object({ data: z.object({ id: z.string(), update_token: z.string() }) });

/** Reads the lead handle from the outcome of a submit. */
export const leadIn = (outcome: object): Lead => {
  const { id, update_token } = SavedLead.parse(JSON.parse(responseOf(outcome).text)).data;
  return { lead_id: id, update_token };
};

function operationOf(id: string): Operation {
  const declared = operations.find((one) => one.id === id);
  if (declared === undefined) throw new Error(`There is no operation ${id}.`);
  return declared;
}

/** Returns API Gateway's event for a request to an operation. */
export const requestEvent = (id: string, request: Request): APIGatewayProxyEvent =>
  proxyEvent(operationOf(id), request);

const JSON_HEADERS = { 'content-type': 'application/json', 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0' };
const FUNNEL = { id: DEMO_IDS.funnel };

export const SUBMIT: Request = {
  path: FUNNEL,
  headers: JSON_HEADERS,
  body: { data: { name: 'Ada Example', email: 'ada@example.com' } },
};

const SESSION_ID = randomUUID();

const form = (): Partial<APIGatewayProxyEvent> => {
  const place = { blockId: DEMO_IDS.uploadBlock, organizationId: DEMO_IDS.organizationA };
  const bytes = aForm({ fields: place, file: { name: 'roof.png', content: aPng() } });
  return { body: bytes.toString('base64'), isBase64Encoded: true };
};

/** Functions that create the request to an operation, if the example in its declaration is not enough. */
const REQUESTS: Record<string, (world: RequestWorld) => Promise<Expected>> = {
  'funnel/ingest-analytics': async () =>
    expectStatus('funnel/ingest-analytics', 200, { path: FUNNEL, body: session() }),
  'funnel/mfa-send': async ({ lead }) => expectStatus('funnel/mfa-send', 200, { path: FUNNEL, body: await lead() }),
  'funnel/mfa-check': async ({ lead }) => ({
    ...expectStatus('funnel/mfa-check', 400, { path: FUNNEL, body: { ...(await lead()), code: 'no digits' } }),
    code: 'code_invalid',
  }),
  'funnel/upload': async () => ({
    status: 200,
    event: { ...requestEvent('funnel/upload', { headers: FORM_HEADERS }), ...form() },
  }),
  // Expects 503, because the voice provider is on the internet, which these functions cannot reach.
  'training/open-session': async (world) => ({
    ...exampleOf('training/open-session', world),
    status: 503,
    code: 'service_unavailable',
  }),
  // Deletes another domain than the example does, because concurrent tests may read the domain of the example.
  'domains/delete': async (world) => {
    const { status, event } = exampleOf('domains/delete', world);
    const pathParameters = { ...event.pathParameters, assetId: DEMO_IDS.domainAssets[2] };
    return { status, event: { ...event, pathParameters } };
  },
  // Deletes another address than the example does, because concurrent tests may read the address of the example.
  'notifications/delete-address': async (world) => {
    const { status, event } = exampleOf('notifications/delete-address', world);
    const pathParameters = { ...event.pathParameters, addressId: DEMO_IDS.notificationAddresses[1] };
    return { status, event: { ...event, pathParameters } };
  },
  // Deletes another endpoint than the example does, because concurrent tests may read the endpoint of the example.
  'webhooks/delete-endpoint': async (world) => {
    const { status, event } = exampleOf('webhooks/delete-endpoint', world);
    const pathParameters = { ...event.pathParameters, endpointId: DEMO_IDS.webhookEndpoints[1] };
    return { status, event: { ...event, pathParameters } };
  },
  'training/voice-webhook': async ({ standIns }) => {
    const body = JSON.stringify(transcription('conv_unknown'));
    const signature = signatureOf(body, { atMs: Date.now(), secret: standIns.voiceWebhookSecret });
    return expectStatus('training/voice-webhook', 200, { body, headers: { ...JSON_HEADERS, ...signature } });
  },
};

/** Returns a request and the response that is expected with the stand-ins. */
export const requestOf = async (id: string, world: RequestWorld): Promise<Expected> =>
  REQUESTS[id]?.(world) ?? exampleOf(id, world);

/**
 * Returns the request of the operation's example. If the operation is not public, the request has the token of an admin
 * of both organizations of the demo.
 */
function exampleOf(id: string, { tokens }: RequestWorld): Expected {
  const declared = operationOf(id);
  const { headers, ...request } = exampleRequest(declared);
  const authorization = declared.auth === 'public' ? {} : { authorization: `Bearer ${tokens.admin}` };
  return expectStatus(id, successStatus(declared), {
    ...request,
    headers: { ...JSON_HEADERS, ...headers, ...authorization },
  });
}

const expectStatus = (id: string, status: number, request: Request): Expected => ({
  status,
  event: requestEvent(id, { headers: JSON_HEADERS, ...request }),
});

/** Returns the events of a session that starts and completes. */
const session = () => ({
  events: ['view', 'start', 'complete'].map((type) => ({
    eventId: randomUUID(),
    sessionId: SESSION_ID,
    timestamp: new Date().toISOString(),
    payload: { type },
  })),
});
