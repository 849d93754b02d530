import { addressesKey } from '../../../shared/notifications/aws/notifications-table.ts';
import { DEMO_IDS } from './demo-ids.ts';
import { putRecords } from './put-records.ts';

/** Writes two notification addresses that are not confirmed, so that they get no mails. */
export async function seedNotifications(nowMs: number): Promise<void> {
  const [sales, office] = DEMO_IDS.notificationAddresses;
  const addresses = {
    [sales]: addressOf(sales, 'sales@northlight.example', nowMs),
    [office]: addressOf(office, 'office@northlight.example', nowMs),
  };
  await putRecords('notificationsTable', [{ ...addressesKey(DEMO_IDS.organizationA), version: sales, addresses }]);
}

function addressOf(id: string, address: string, nowMs: number) {
  const createdAt = new Date(nowMs).toISOString();
  return {
    id,
    address,
    mode: 'each_lead',
    timeZone: 'Europe/Berlin',
    language: 'de',
    linkBaseUrl: 'https://api.northlight.example',
    createdAt,
    updatedAt: createdAt,
  };
}
