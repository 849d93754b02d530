import { toDomainItem } from '../../../shared/domains/aws/domain-item.ts';
import { domainKey, hostnameKey } from '../../../shared/domains/aws/keys.ts';
import type { CustomDomain } from '../../../shared/domains/domain.ts';
import { DEMO_IDS, demoId } from './demo-ids.ts';
import { putRecords } from './put-records.ts';

const HOSTNAMES = ['roofs.northlight.example', 'offer.northlight.example', 'old.northlight.example'];
const DAY_MS = 24 * 3_600_000;

/** Writes three domains with verified hostnames. The sweeper provisions them within seconds. */
export async function seedDomains(nowMs: number): Promise<void> {
  const domains = DEMO_IDS.domainAssets.map((id, index) => domainOf(id, index, nowMs));
  await putRecords(
    'directoryTable',
    domains.flatMap((domain) => [{ ...toDomainItem(domain), ...domainKey(domain.orgId, domain.id) }, hostOf(domain)]),
  );
}

function domainOf(id: string, index: number, nowMs: number): CustomDomain {
  const now = new Date(nowMs).toISOString();
  return {
    id,
    orgId: DEMO_IDS.organizationA,
    hostname: HOSTNAMES[index] ?? `${id}.northlight.example`,
    status: 'verified',
    verificationToken: demoId(`domain token ${index}`),
    pageIds: index === 0 ? [DEMO_IDS.landingPage] : [],
    tenantId: null,
    certificateArn: null,
    target: null,
    removal: null,
    removalHoldUntil: null,
    revision: 1,
    createdAt: new Date(nowMs - 40 * DAY_MS).toISOString(),
    activatedAt: null,
    provisioning: { since: now, attempts: 0, failureReason: null },
    dueAt: now,
  };
}

const hostOf = ({ hostname, orgId, id: domainId, createdAt: reservedAt }: CustomDomain) => ({
  ...hostnameKey(hostname),
  orgId,
  domainId,
  reservedAt,
});
