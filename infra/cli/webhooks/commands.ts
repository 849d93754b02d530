import * as z from 'zod/mini';
import { DELIVERY_STATUSES, HISTORY_DAYS } from '../../../shared/deliveries/delivery.ts';
import { CURSOR, listDeliveries, type WebhookDeliveries } from '../../../shared/deliveries/list-deliveries.ts';
import { redeliver, redeliverSince } from '../../../shared/deliveries/redeliver.ts';
import { humanText } from '../../../shared/http/schemas.ts';
import { createDynamoEndpointReader } from '../../../shared/webhooks/aws/dynamo-endpoint-reader.ts';
import { createEndpoint } from '../../../shared/webhooks/create-endpoint.ts';
import { describeEndpoint, type WebhookEndpointResponse } from '../../../shared/webhooks/endpoint-schemas.ts';
import { PREVIOUS_SECRET_HOURS } from '../../../shared/webhooks/endpoint-secrets.ts';
import { isMessageId } from '../../../shared/webhooks/message-id.ts';
import { rotateSecret } from '../../../shared/webhooks/rotate-secret.ts';
import { testEndpoint } from '../../../shared/webhooks/test-endpoint.ts';
import { updateEndpoint } from '../../../shared/webhooks/update-endpoint.ts';
import { EVENT_TYPES, type EventType } from '../../../shared/webhooks/webhook-endpoint.ts';
import { followUpCommand } from '../environment/environment-options.ts';
import { requireOrganization } from '../organizations/dynamo-organization-admin-repository.ts';
import { listOfOrganization } from '../organizations/list-command.ts';
import { argument, choice, command, flag, group, option, repeatable } from '../program/command.ts';
import { idArgument, organizationArgument, parseInstant, parseWith, yes } from '../program/parameters.ts';
import { formatMinute, formatUtc } from '../terminal/format.ts';
import { Fields, table } from '../terminal/output.ts';
import { deliveryPorts, endpointPorts, requireEndpoint, requireUrl, signingPorts } from './dependencies.ts';

const endpointArgs = { orgId: organizationArgument, endpointId: idArgument('endpoint') };

const parseEventType = parseWith(z.enum(EVENT_TYPES), `Give one of ${EVENT_TYPES.join(', ')}.`);
/** @param byDefault says in the help which types apply if the option is omitted */
const eventOption = (byDefault: string) =>
  repeatable<EventType>('--event <type>', 'type of events to send to the endpoint', parseEventType, byDefault);
const parseDescription = parseWith(
  z.union([z.literal(''), humanText(1, 200)]),
  'Give a description of at most 200 characters.',
);
const EVENT_HELP = `Types of events: ${EVENT_TYPES.join(', ')}.`;
const SECRET_HELP =
  'With --stage, this command needs the permission secretsmanager:GetSecretValue for the secret WebhookSecret.';

const stateOf = ({ enabled, pausedAt }: WebhookEndpointResponse) =>
  pausedAt !== null ? 'paused' : enabled ? 'enabled' : 'disabled';

const fieldsOf = (endpoint: WebhookEndpointResponse, secret?: string) =>
  new Fields(
    ['id', endpoint.id],
    ['url', endpoint.url],
    ['event types', endpoint.eventTypes],
    ['description', endpoint.description ?? undefined],
    ['state', stateOf(endpoint)],
    ['paused', formatUtc(endpoint.pausedAt)],
    ['failing since', formatUtc(endpoint.failingSince)],
    ['created', formatUtc(endpoint.createdAt)],
    ['secret rotated', formatUtc(endpoint.secretRotatedAt)],
    ['signing secret', secret],
  );

const list = listOfOrganization({
  name: 'endpoints',
  description: 'Lists webhook endpoints, oldest first, without their signing secrets.',
  list: async function* (orgId) {
    yield* (await createDynamoEndpointReader().list(orgId)).map(describeEndpoint);
  },
  compare: (one, other) => (one.id < other.id ? -1 : 1),
  columns: [
    { head: 'ENDPOINT', width: 36, value: ({ id }) => id },
    { head: 'STATE', width: 8, value: stateOf },
    { head: 'EVENTS', width: 6, value: ({ eventTypes }) => eventTypes.length },
    { head: 'URL', value: ({ url }) => url },
  ],
  empty: 'There are no webhook endpoints yet: see "webhooks add".',
});

const add = command({
  name: 'add',
  description: 'Adds a webhook endpoint, and prints its id and its signing secret.',
  args: { orgId: organizationArgument, url: argument('<url>', 'https URL that receives the messages') },
  options: {
    event: eventOption('none, so at least one --event is required'),
    description: option('--description <text>', 'note for people, at most 200 characters', parseDescription),
  },
  json: 'one JSON object: the endpoint and its `secret`',
  help: `${EVENT_HELP}\n${SECRET_HELP}`,
  check: ({ event: types }) => (types.length === 0 ? 'give at least one --event <type>' : undefined),
  run: async ({ orgId, url, event: types, description }, context) => {
    await requireOrganization(orgId);
    requireUrl(url, context);
    const given = { url, eventTypes: [...new Set(types)], description: description || undefined };
    const { endpoint, secret } = await createEndpoint(await signingPorts(context), orgId, given);
    const response = describeEndpoint(endpoint);
    return {
      json: { ...response, secret },
      text: fieldsOf(response, secret),
      hints: [`Test it with: ${followUpCommand(context, `webhooks test ${orgId} ${endpoint.id}`)}`],
    };
  },
});

const update = command({
  name: 'update',
  description: 'Changes the given properties of a webhook endpoint.',
  args: endpointArgs,
  options: {
    url: option('--url <url>', 'https URL that receives the messages'),
    event: eventOption('the current types'),
    description: option(
      '--description <text>',
      'note for people, at most 200 characters; an empty text removes the note',
      parseDescription,
    ),
    enable: flag(
      '--enable',
      'resume sending to an endpoint that is disabled, or that the service paused after three days of failures; the ' +
        'service then sends what changed during the pause, but not the messages that it dropped while the endpoint ' +
        'was disabled',
      ['disable'],
    ),
    disable: flag(
      '--disable',
      'drop messages to the endpoint instead of sending them; "webhooks test" still sends its message',
      ['enable'],
    ),
  },
  json: 'one JSON object: the endpoint',
  help: `Give at least one of --url, --event, --description, --enable and --disable.
The types given with --event replace all current types.
${EVENT_HELP}`,
  check: ({ url, event: types, description, enable, disable }) =>
    url === undefined && types.length === 0 && description === undefined && !enable && !disable
      ? 'give at least one of --url, --event, --description, --enable and --disable'
      : undefined,
  run: async ({ orgId, endpointId, url, event: types, description, enable, disable }, context) => {
    await requireEndpoint({ orgId, endpointId });
    if (url !== undefined) requireUrl(url, context);
    const updated = await updateEndpoint(
      endpointPorts(context),
      { orgId, endpointId },
      {
        url,
        eventTypes: types.length === 0 ? undefined : [...new Set(types)],
        description: description === '' ? null : description,
        enabled: enable || disable ? enable : undefined,
      },
    );
    const response = describeEndpoint(updated);
    return { json: response, text: fieldsOf(response) };
  },
});

const remove = command({
  name: 'remove',
  description: 'Removes a webhook endpoint. Its signing secret cannot be restored.',
  args: endpointArgs,
  options: { yes },
  json: 'one JSON object: `id`, `removed`',
  run: async ({ yes: isConfirmed, ...ids }, context) => {
    const { url } = await requireEndpoint(ids);
    await context.confirm(`Remove the webhook endpoint ${url}?`, isConfirmed);
    await endpointPorts(context).endpoints.remove(ids);
    return { json: { id: ids.endpointId, removed: true }, text: `The endpoint ${url} is removed.` };
  },
});

const rotate = command({
  name: 'rotate-secret',
  description: 'Replaces the signing secret of a webhook endpoint, and prints the new secret.',
  args: endpointArgs,
  json: 'one JSON object: the endpoint and its new `secret`',
  help: `For ${PREVIOUS_SECRET_HOURS} hours, messages are also signed with the previous secret.\n${SECRET_HELP}`,
  run: async (ids, context) => {
    await requireEndpoint(ids);
    const { endpoint, secret } = await rotateSecret(await signingPorts(context), ids);
    const response = describeEndpoint(endpoint);
    return {
      json: { ...response, secret },
      text: fieldsOf(response, secret),
      hints: [`For ${PREVIOUS_SECRET_HOURS} hours, messages are also signed with the previous secret.`],
    };
  },
});

const test = command({
  name: 'test',
  description: 'Sends a signed test message to a webhook endpoint, from this machine.',
  args: endpointArgs,
  json:
    'one JSON object: `delivered`, `messageId`, `status` (of the response), `durationMs`, and `problem` (why the ' +
    'message was not delivered, or null)',
  help: `The command also sends the message if the endpoint is disabled or paused.
The exit code is 1 if the endpoint does not respond with a status from 200 to 299.
${SECRET_HELP}`,
  run: async (ids, context) => {
    const { url } = await requireEndpoint(ids);
    const outcome = await testEndpoint(await signingPorts(context), ids);
    if (!outcome.delivered) return { json: outcome, error: `${url}: ${outcome.problem}` };
    const text = `${url} responded with status ${outcome.status} after ${outcome.durationMs} ms.`;
    return { json: outcome, text, hints: [`The message id is ${outcome.messageId}.`] };
  },
});

const parseMessageId = parseWith(
  z.string().check(z.refine(isMessageId)),
  'Give the id of a message, the value of the header webhook-id: see "webhooks deliveries".',
);
const parseCursor = parseWith(
  z.string().check(z.regex(CURSOR)),
  'Give the cursor that an earlier "webhooks deliveries" printed.',
);

const deliveries = command({
  name: 'deliveries',
  description: `Lists the messages of the last ${HISTORY_DAYS} days to a webhook endpoint, newest first.`,
  args: endpointArgs,
  options: {
    status: choice(
      '--status <status>',
      'only messages with this status; pending: another attempt follows; failed: no attempt follows',
      DELIVERY_STATUSES,
    ),
    after: option(
      '--after <cursor>',
      'continue after this cursor, which an earlier "webhooks deliveries" printed',
      parseCursor,
    ),
  },
  json:
    'one JSON object: `deliveries` (messages with all their attempts), and `nextCursor`, the cursor for --after ' +
    '(null at the end)',
  run: async ({ status, after, ...ids }) => {
    await requireEndpoint(ids);
    const page = await listDeliveries(deliveryPorts(), ids, { status, cursor: after });
    const text = table(
      page.deliveries,
      [
        { head: 'MESSAGE AND SUBJECT', width: 40, value: ({ messageId, subject }) => [messageId, idOf(subject)] },
        { head: 'SENT, UTC', width: 16, value: ({ firstAttemptAt }) => formatMinute(firstAttemptAt) },
        { head: 'TYPE AND OUTCOME', value: (delivery) => [delivery.type, ...describeOutcome(delivery)] },
      ],
      after === undefined ? 'No messages were found.' : 'There are no more messages.',
    );
    const { nextCursor } = page;
    return {
      json: page,
      text,
      hints: nextCursor === null ? [] : [`Next page: repeat the command with --after ${nextCursor}`],
    };
  },
});

/** Returns the id of a subject: of a lead, a call or a domain. */
const idOf = ({ kind, ...ids }: Record<string, string>): string => ids[`${kind}Id`] ?? '';

function describeOutcome({ status, attempts }: WebhookDeliveries['deliveries'][number]): string[] {
  const last = attempts.at(-1);
  return [status, `attempt ${last?.number ?? 0}: ${last?.status ?? last?.problem ?? 'unknown'}`];
}

const redeliverCommand = command({
  name: 'redeliver',
  description:
    'Makes the service send messages to a webhook endpoint again. Each repeated message has a new id, and contains ' +
    'the current state of its lead, call or domain.',
  args: endpointArgs,
  options: {
    message: option(
      '--message <id>',
      'send only the message with this id again, whatever its status; see "webhooks deliveries"',
      parseMessageId,
    ),
    since: option(
      '--since <time>',
      'send again the failed messages whose first attempt was at or after this time: a UTC day (2026-03-31), ' +
        'an instant (2026-03-31T14:30:00Z), or an age (7d: 7 days ago; 12h: 12 hours ago)',
      parseInstant,
    ),
    includeDelivered: flag('--include-delivered', 'with --since: also send delivered messages again', ['message']),
  },
  help: `Give either --message or --since. The endpoint must be enabled and not paused.
The command does not wait until the messages are sent: see "webhooks deliveries".`,
  json:
    'one JSON object: with --message, `messageId` as given; with --since, `since`, `includeDelivered` and ' +
    '`requestedAt`',
  check: ({ message, since }) =>
    (message === undefined) === (since === undefined) ? 'give either --message or --since' : undefined,
  run: async ({ message, since, includeDelivered, ...ids }) => {
    await requireEndpoint(ids);
    if (since !== undefined) {
      const started = await redeliverSince(deliveryPorts(), ids, { since, includeDelivered });
      return { json: started, text: 'The messages are requested. The dispatcher sends them within minutes.' };
    }
    const messageId = message ?? '';
    await redeliver(deliveryPorts(), { ...ids, messageId });
    return { json: { messageId }, text: 'The message is requested. The dispatcher sends it within seconds.' };
  },
});

export const webhooks = group(
  'webhooks',
  'Webhook endpoints of organizations: add, update, test and remove them; list and repeat their messages.',
  [...[add, list, update, remove, rotate, test, deliveries, redeliverCommand]],
);
