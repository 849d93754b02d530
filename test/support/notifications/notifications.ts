import { randomUUID } from 'node:crypto';
import { createHandler as createAddressHandler } from '../../../functions/notifications/create-address/handler.ts';
import { createAddressOperation } from '../../../functions/notifications/create-address/operation.ts';
import { createHandler as createFollowLink } from '../../../functions/notifications/follow-link/handler.ts';
import { followLinkOperation } from '../../../functions/notifications/follow-link/operation.ts';
import type { Lead } from '../../../shared/leads/lead.ts';
import type { EmailMessage } from '../../../shared/messages/message.ts';
import { createDynamoAddressRepository } from '../../../shared/notifications/aws/dynamo-address-repository.ts';
import { createDynamoNoticeRepository } from '../../../shared/notifications/aws/dynamo-notice-repository.ts';
import { createDynamoNoticeWriter } from '../../../shared/notifications/aws/dynamo-notice-writer.ts';
import { createDynamoRecipientRepository } from '../../../shared/notifications/aws/dynamo-recipient-repository.ts';
import { createNotifier } from '../../../shared/notifications/notifier.ts';
import { type SendNoticesPorts, sendNotices } from '../../../shared/notifications/send-notices.ts';
import type { RateLimiter } from '../../../shared/platform/rate-limiter.ts';
import { caller } from '../http.ts';
import { aLead } from '../leads/a-lead.ts';
import { memoryLimiter } from '../memory-limiter.ts';
import { anOrganization } from '../organizations/members.ts';

export const NOON = Date.parse('2026-03-02T12:00:00.000Z');
export const MINUTE = 60_000;
const SECRET = 'the secret of a test';
const LINK = /https:\/\/api\.shop\.example\/dev\/api\/v2\/public\/notifications\/([\w-]+)/;

/** An organization with the operations on its notification addresses, and the function that sends mails. */
export function notificationWorld({ limiter }: { limiter: RateLimiter } = memoryLimiter()) {
  const own = anOrganization();
  const clock = { ms: NOON, now: () => clock.ms };
  const mails: EmailMessage[] = [];
  const leads = new Map<string, Lead>();
  const state = { mailsFail: false };

  const metrics: [string, number | undefined][] = [];
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
    recordMetric: (name: string, value?: number) => void metrics.push([name, value]),
  };
  const organizations = { find: async () => ({ name: 'Shop <GmbH>', timezone: 'Europe/Berlin' }) };
  const addresses = createDynamoAddressRepository();
  const ports = {
    authorization: own.authorization,
    addresses,
    notices: createDynamoNoticeWriter(),
    recipients: createDynamoRecipientRepository(),
    organizations,
    limiter,
    readSecret: async () => SECRET,
    linkBaseUrl: () => 'https://api.shop.example/dev',
    clock,
  };
  const sender: SendNoticesPorts = {
    notices: createDynamoNoticeRepository(),
    addresses,
    organizations,
    clock,
    log,
    funnels: { find: async () => undefined, findVersion: async () => undefined },
    leads: { getLeads: async (keys) => keys.flatMap(({ leadId }) => leads.get(leadId) ?? []) },
    findFileName: async () => undefined,
    readSecret: async () => SECRET,
    send: async (message) => {
      if (state.mailsFail) throw new Error('SES did not confirm that it accepted a message.');
      mails.push(message);
    },
  };
  const post = caller(createAddressOperation, createAddressHandler(ports));
  const follow = caller(followLinkOperation, createFollowLink(ports));
  const notifier = createNotifier({ addresses, notices: ports.notices, clock });
  const tokenIn = ({ text }: EmailMessage): string => LINK.exec(text)?.[1] ?? '';
  const world = {
    ...own,
    ports,
    sender,
    clock,
    mails,
    leads,
    state,
    metrics,
    notifier,
    tokenIn,
    addresses,
    create: (body: object, who: 'admin' | 'member' | 'stranger' = 'admin', orgId = own.orgId) =>
      post({ path: { orgId }, headers: own.as(who), body }),
    follow: (token: string, body?: string) => follow({ path: { token }, ...(body !== undefined && { body }) }),
    send: (overrides: Partial<SendNoticesPorts> = {}) => sendNotices({ ...sender, ...overrides }),
    /** Adds an address, and confirms it with the link of its mail. Then removes the mail. */
    confirmed: async (body: object = { mode: 'each_lead' }): Promise<string> => {
      const address = `${randomUUID()}@shop.example`;
      const created = await world.create({ address, ...body });
      await world.send();
      const mail = mails.find(({ to }) => to === address);
      if (mail === undefined) throw new Error(`There is no confirmation mail: ${created.text}`);
      await world.follow(tokenIn(mail));
      mails.splice(mails.indexOf(mail), 1);
      return (created.body as { id: string }).id;
    },
    /** Creates a lead now, and notifies the organization's addresses about the lead. */
    lead: async (data: Record<string, unknown> = { name: 'Ada' }): Promise<Lead> => {
      const lead = aLead({ funnelId: randomUUID(), leadId: randomUUID() }, new Date(clock.ms).toISOString(), data);
      leads.set(lead.leadId, lead);
      await notifier.notifyLead(own.orgId, lead);
      return lead;
    },
  };
  return world;
}
