import { randomUUID } from 'node:crypto';
import { createHandler as createCheck } from '../../../functions/funnel/mfa-check/handler.ts';
import { checkVerificationCodeOperation } from '../../../functions/funnel/mfa-check/operation.ts';
import { createHandler as createSend } from '../../../functions/funnel/mfa-send/handler.ts';
import { sendVerificationCodeOperation } from '../../../functions/funnel/mfa-send/operation.ts';
import { type Field, Funnel, FunnelVersion } from '../../../shared/funnels/funnel.ts';
import { createDynamoLeadRepository } from '../../../shared/leads/aws/dynamo-lead-repository.ts';
import { createDynamoLeadVerificationRepository } from '../../../shared/leads/aws/dynamo-lead-verification-repository.ts';
import { hashToken } from '../../../shared/leads/lead-handle.ts';
import { createCooldownCounter } from '../../../shared/limits/aws/dynamo-cooldown.ts';
import { createDynamoRateLimitReader } from '../../../shared/limits/aws/dynamo-rate-limit-reader.ts';
import { createDynamoRateLimiter } from '../../../shared/limits/aws/dynamo-rate-limiter.ts';
import { createClientPseudonymizer } from '../../../shared/limits/client-pseudonym.ts';
import { createClientRateLimiter } from '../../../shared/limits/client-rate-limiter.ts';
import { CHANNELS, type Channel, type OutboundMessage } from '../../../shared/messages/message.ts';
import { Organization } from '../../../shared/organizations/organization.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { generateCode } from '../../../shared/verification/code.ts';
import type { SendCodePorts } from '../../../shared/verification/send-code.ts';
import { type Answer, caller, type Request } from '../http.ts';
import { NOON } from '../leads/lead-repository.ts';
import { aLeadChangeOf, readLeadItem } from '../leads/stored-leads.ts';
import { aField } from '../leads/submit.ts';

export const EMAIL = 'ada@shop.example';
export const PHONE = '+4930901820';
export const contactFields = (): Field[] => [
  aField({ id: 'name', type: 'text' }),
  aField({ id: 'email', type: 'email', verifiable: true }),
  aField({ id: 'phone', type: 'phone', verifiable: true, country: 'DE' }),
];

type Handle = { lead_id: string; update_token: string };
type World = {
  fields?: Field[];
  funnel?: Partial<Funnel>;
  organization?: Partial<Organization>;
  channels?: readonly Channel[];
  ports?: Partial<SendCodePorts>;
};

/** Sets up a published funnel and the operations that send and check codes. Leads and limits are in DynamoDB. */
export function setUpVerification(world: World = {}) {
  const { fields = contactFields(), funnel: overrides = {}, organization: known = {}, channels = CHANNELS } = world;
  const versionId = randomUUID();
  const funnel = Funnel.parse({ id: randomUUID(), orgId: randomUUID(), publishedVersionId: versionId, ...overrides });
  const version = FunnelVersion.parse({ id: versionId, funnelId: funnel.id, fields });
  const organization = Organization.parse({ id: funnel.orgId, name: 'Northlight Solar', ...known });
  const clock = { ms: NOON, now: () => clock.ms };
  const ip = anAddress();
  const sent: OutboundMessage[] = [];
  const delivery = { fails: false };
  const secrets = { read: async () => 'a secret of the tests' };
  const limiter = {
    ...createDynamoRateLimiter({ clock, createCooldownCounter }),
    ...createDynamoRateLimitReader(clock),
  };
  const pseudonymizer = createClientPseudonymizer({ secrets, secretIds: () => ({ hash: 'h', cdn: 'c' }), clock });
  const ports = {
    funnels: {
      find: async (id: string) => (id === funnel.id ? funnel : undefined),
      findVersion: async (_: unknown, id = versionId) => (id === versionId ? version : undefined),
    },
    organizations: { find: async () => organization },
    leads: createDynamoLeadVerificationRepository(),
    limiter,
    pseudonymizer,
    clock,
    generateCode,
    readSecret: secrets.read,
    ids: systemIdGenerator,
    wait: async (ms: number) => {
      clock.ms += ms;
    },
    messages: {
      channels: () => new Set(channels),
      send: async (message: OutboundMessage) => {
        if (delivery.fails) throw new Error('The provider rejected the message.');
        sent.push(message);
      },
    },
    ...world.ports,
  };
  const callSend = caller(sendVerificationCodeOperation, createSend(ports));
  const callCheck = caller(
    checkVerificationCodeOperation,
    createCheck({
      ...ports,
      limiter,
      clientRateLimiter: createClientRateLimiter({ rateLimiter: limiter, pseudonymizer }),
    }),
  );
  const request = (body: unknown, options: Request = {}): Request => {
    return { path: { id: funnel.id }, body, arrivedAtMs: clock.ms, ip, ...options };
  };
  const save = async (leadId: string, data: Record<string, unknown>) =>
    createDynamoLeadRepository().merge({ funnelId: funnel.id, leadId }, aLeadChangeOf(data, { atMs: clock.ms }));

  return {
    funnel,
    clock,
    delivery,
    sent,
    limiter,
    send: (body: unknown, options?: Request): Promise<Answer> => callSend(request(body, options)),
    check: (handle: Handle, code: unknown, options?: Request): Promise<Answer> =>
      callCheck(request({ ...handle, code }, options)),
    checkBody: (body: unknown, options?: Request): Promise<Answer> => callCheck(request(body, options)),
    /** Creates a lead. Returns its handle as body properties. */
    aLead: async (data: Record<string, unknown> = { email: EMAIL, phone: PHONE }): Promise<Handle> => {
      const leadId = randomUUID();
      const submit = aLeadChangeOf(data, { tokenHash: hashToken('token'), atMs: clock.ms });
      await createDynamoLeadRepository().create({ funnelId: funnel.id, leadId }, submit);
      return { lead_id: leadId, update_token: 'token' };
    },
    change: ({ lead_id }: Handle, data: Record<string, unknown>) => save(lead_id, data),
    stored: ({ lead_id }: Handle) => readLeadItem({ funnelId: funnel.id, leadId: lead_id }),
    lastCode: (): string => codeIn(sent.at(-1)),
  };
}

export type VerificationWorld = ReturnType<typeof setUpVerification>;

export const codeIn = (message: OutboundMessage | undefined): string =>
  /\b\d{6}\b/.exec(message?.text ?? '')?.[0] ?? '';

let addresses = 0;
/** A unique client address (RFC 2544). */
export const anAddress = (): string => `198.18.${++addresses >> 8}.${addresses & 255}`;

export const wrongCode = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

export const errorCode = ({ body }: Answer): string => (body as { error: { code: string } }).error.code;
