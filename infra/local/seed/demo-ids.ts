import { createHash } from 'node:crypto';
import { addressIdOf } from '../../../shared/notifications/notification-address.ts';

const NAMESPACE = 'tributary demo';

/** Derives the id of a demo object from its name (UUIDv5), so that ids stay the same after `--reset`. */
export function demoId(name: string): string {
  const bytes = createHash('sha1').update(`${NAMESPACE}\0${name}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Derives a UUIDv7 of January 2026 for objects that are listed by time. */
const demoIdOf2026 = (name: string): string => `019bf000-0000-7${demoId(name).slice(15)}`;

/** The ids of the demo objects. They are the same on every machine. */
export const DEMO_IDS = {
  organizationA: demoId('organization a'),
  organizationB: demoId('organization b'),
  funnel: demoId('funnel'),
  version: demoId('funnel version 1'),
  uploadBlock: demoId('upload block'),
  aiBlock: demoId('ai block'),
  emptyFunnel: demoId('empty funnel'),
  emptyVersion: demoId('empty funnel version 1'),
  trainingCase: demoId('case'),
  archivedCase: demoId('archived case'),
  germanCase: demoId('german case'),
  personas: [demoId('persona 1'), demoId('persona 2')],
  readyCall: demoIdOf2026('ready call'),
  landingPage: demoId('landing page'),
  webhookEndpoints: [demoIdOf2026('webhook endpoint'), demoIdOf2026('paused webhook endpoint')],
  notificationAddresses: [
    addressIdOf(demoId('organization a'), 'sales@northlight.example'),
    addressIdOf(demoId('organization a'), 'office@northlight.example'),
  ],
  /** A lead that does not exist. Only the history of deliveries refers to it. */
  lead: demoId('lead'),
  webhookMessage: `msg_${demoId('webhook message')}`,
  domainAssets: [demoId('domain 1'), demoId('domain 2'), demoId('domain 3')],
} as const;
