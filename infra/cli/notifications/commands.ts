import * as z from 'zod/mini';
import { unlimitedRateLimiter } from '../../../shared/limits/rate-limits-disabled.ts';
import { describeAddress, type NotificationAddressResponse } from '../../../shared/notifications/address-schemas.ts';
import {
  createDynamoAddressReader,
  createDynamoAddressRepository,
} from '../../../shared/notifications/aws/dynamo-address-repository.ts';
import { createDynamoNoticeWriter } from '../../../shared/notifications/aws/dynamo-notice-writer.ts';
import { removeAddress, updateAddress } from '../../../shared/notifications/change-address.ts';
import { createAddress } from '../../../shared/notifications/create-address.ts';
import { type AddressIds, MAIL_LANGUAGES, MODES } from '../../../shared/notifications/notification-address.ts';
import { createDynamoOrganizationRepository } from '../../../shared/organizations/aws/dynamo-organization-repository.ts';
import { systemClock as clock } from '../../../shared/platform/clock.ts';
import { createJsonLogger } from '../../../shared/platform/logger.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import { isTimeZone } from '../../../shared/platform/time-zone.ts';
import { UserError } from '../../common/user-error.ts';
import { requireOrganization } from '../organizations/dynamo-organization-admin-repository.ts';
import { listOfOrganization } from '../organizations/list-command.ts';
import { argument, choice, command, group, option } from '../program/command.ts';
import { idArgument, organizationArgument, parseWith, yes } from '../program/parameters.ts';
import { formatUtc } from '../terminal/format.ts';
import { Fields } from '../terminal/output.ts';

const addressArgs = { orgId: organizationArgument, addressId: idArgument('address') };
const parseTimeZone = parseWith(
  z.string().check(z.refine(isTimeZone)),
  'Give an IANA time zone, for example Europe/Berlin.',
);
const properties = {
  mode: choice(
    '--mode <mode>',
    'each_lead: one mail for each lead; after 20 mails within an hour, the next leads share one mail. daily_digest: ' +
      'one mail about all new leads, daily at 08:00',
    MODES,
  ),
  timezone: option(
    '--timezone <zone>',
    'IANA time zone of the digest and of times in mails, such as Europe/Berlin',
    parseTimeZone,
  ),
  language: choice('--language <language>', 'language of the mails', MAIL_LANGUAGES),
};

const fieldsOf = (address: NotificationAddressResponse) =>
  new Fields(
    ['id', address.id],
    ['address', address.address],
    ['mode', address.mode],
    ['time zone', address.timeZone],
    ['language', address.language],
    ['state', address.status],
    ['created', formatUtc(address.createdAt)],
  );

const list = listOfOrganization({
  name: 'addresses',
  description: 'Lists notification addresses, oldest first.',
  list: async function* (orgId) {
    yield* (await createDynamoAddressReader().list(orgId)).map(describeAddress);
  },
  compare: (one, other) => (one.createdAt < other.createdAt ? -1 : 1),
  columns: [
    { head: 'ADDRESS ID', width: 36, value: ({ id }) => id },
    { head: 'STATE', width: 12, value: ({ status }) => status },
    { head: 'MODE', width: 12, value: ({ mode }) => mode },
    { head: 'ADDRESS', value: ({ address }) => address },
  ],
  empty: 'There are no notification addresses yet: see "notifications add".',
});

const add = command({
  name: 'add',
  description: 'Adds a notification address. The service sends a mail with a confirmation link to the address.',
  args: { orgId: organizationArgument, address: argument('<address>', 'e-mail address') },
  options: properties,
  json: 'one JSON object: the notification address',
  help: `Defaults: --mode each_lead, --language de, and --timezone with the time zone of the organization.
Mails about leads are sent only after the recipient has confirmed the address.
Until then, you can repeat the command, which sends another confirmation mail.
The repetition also replaces the mode, time zone and language of the address.
If the repetition omits an option, the default replaces the earlier value.
After the confirmation, the command fails: use "notifications update".
Unlike the API, this command does not limit the number of confirmation mails.`,
  run: async ({ orgId, address, mode = 'each_lead', timezone: timeZone, language }) => {
    await requireOrganization(orgId);
    const ports = {
      addresses: createDynamoAddressRepository(),
      notices: createDynamoNoticeWriter(),
      clock,
      organizations: createDynamoOrganizationRepository(),
      limiter: unlimitedRateLimiter,
      readSecret: async () => 'not needed without limits',
      linkBaseUrl: () => requireSetting('apiAddress'),
    };
    const log = createJsonLogger({ command: 'notifications add' }, () => undefined);
    const response = describeAddress(await createAddress(ports, orgId, { address, mode, timeZone, language }, log));
    return { json: response, text: fieldsOf(response) };
  },
});

const update = command({
  name: 'update',
  description: 'Changes the given properties of a notification address.',
  args: addressArgs,
  options: properties,
  json: 'one JSON object: the notification address',
  help: 'Give at least one of --mode, --timezone and --language.',
  check: ({ mode, timezone, language }) =>
    (mode ?? timezone ?? language) ? undefined : 'give at least one of --mode, --timezone and --language',
  run: async ({ orgId, addressId, timezone: timeZone, ...others }) => {
    await requireAddress({ orgId, addressId });
    const ports = { addresses: createDynamoAddressRepository(), clock };
    const response = describeAddress(await updateAddress(ports, { orgId, addressId }, { ...others, timeZone }));
    return { json: response, text: fieldsOf(response) };
  },
});

const remove = command({
  name: 'remove',
  description: 'Removes a notification address. If the address is added again, the recipient must confirm it again.',
  args: addressArgs,
  options: { yes },
  json: 'one JSON object: `id`, `removed`',
  run: async ({ yes: isConfirmed, ...ids }, context) => {
    const { address } = await requireAddress(ids);
    await context.confirm(`Remove the notification address ${address}?`, isConfirmed);
    await removeAddress(createDynamoAddressRepository(), ids);
    return { json: { id: ids.addressId, removed: true }, text: `The address ${address} is removed.` };
  },
});

/** @throws UserError if the organization or the address does not exist */
async function requireAddress({ orgId, addressId }: AddressIds) {
  await requireOrganization(orgId);
  const address = (await createDynamoAddressReader().list(orgId)).find(({ id }) => id === addressId);
  if (address === undefined) {
    throw new UserError(`The organization has no notification address ${addressId}: see "notifications list".`);
  }
  return address;
}

export const notifications = group(
  'notifications',
  'E-mail addresses that get mails about the leads of an organization: add, list, update and remove them.',
  [add, list, update, remove],
);
