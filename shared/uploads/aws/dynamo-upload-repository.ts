import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  paginateQuery,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { queryDueKeys, queryDueKeysInShard } from '../../platform/aws/query-due-index.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { formatDueAt } from '../../platform/due-index.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import { formatLeadReference } from '../lead-reference.ts';
import type { UploadRepository } from '../ports.ts';
import { LEADS_PER_FILE_MAX, RECHECK_DELAY_MS, UNREFERENCED_TTL_MS, type Upload } from '../upload.ts';
import {
  parseUploadItem,
  parseUploadKey,
  RETRY_SHARD,
  STORED_STATES,
  toUploadItem,
  uploadDueShard,
  uploadDueShardOf,
  uploadKey,
} from './upload-item.ts';

/**
 * A submit attaches a file before it saves the lead. After this delay, which is longer than any submit, the sweeper
 * checks whether the lead was saved.
 */
const LEAD_CHECK_DELAY_MS = 3_600_000;

/**
 * Records of uploads in the uploads table. A function that needs only some methods imports each of them separately,
 * because its bundle must not contain AWS calls that its role does not allow.
 */
export function createDynamoUploadRepository(clock: Clock = systemClock): UploadRepository {
  return {
    add: addUpload,
    find: findUpload,
    addLeadReference,
    findDue: findDueUploads,
    update: updateUpload,
    listByLeads,
    detachLead: (upload, lead) =>
      updateAsRead(upload, {
        UpdateExpression: 'SET erased = :erased, dueAt = :due DELETE leads :leads',
        ConditionExpression: 'contains(leads, :lead)',
        ExpressionAttributeValues: {
          ':erased': true,
          // If the file still needs its inspection, the inspection keeps its due time.
          ':due': formatDueAt(upload.isInspected ? clock.now() + RECHECK_DELAY_MS : upload.dueAtMs),
          ':leads': new Set([lead]),
          ':lead': lead,
        },
      }),
    markDeleting: (upload, dueAtMs) =>
      updateAsRead(upload, {
        UpdateExpression: 'SET #state = :deleting, #name = :name, dueAt = :due REMOVE lookAt',
        ConditionExpression: '(attribute_not_exists(leads) OR size(leads) = :leads)',
        ExpressionAttributeNames: { '#name': 'name' },
        ExpressionAttributeValues: {
          ':deleting': STORED_STATES.deleting,
          ':name': '',
          ':due': formatDueAt(dueAtMs),
          ':leads': upload.leads.length,
        },
      }),
    delete: deleteUpload,
  };
}

const NOT_WRITABLE = 'Files cannot be stored. Try again shortly.';
const NOT_AVAILABLE = 'Uploaded files are not available. Try again shortly.';

const tableName = () => requireSetting('uploadsTable');

export const addUpload: UploadRepository['add'] = async (upload) => {
  const put = new PutCommand({ TableName: tableName(), Item: toUploadItem(upload) });
  await rethrowAsUnavailable(NOT_WRITABLE, () => dynamoDocumentClient().send(put));
};

export const findUpload: UploadRepository['find'] = async (orgId, uuid) => {
  const get = new GetCommand({ TableName: tableName(), Key: uploadKey({ orgId, uuid }), ConsistentRead: true });
  const { Item } = await rethrowAsUnavailable(NOT_AVAILABLE, () => dynamoDocumentClient().send(get));
  return Item === undefined ? undefined : parseUploadItem(Item);
};

export const addLeadReference: UploadRepository['addLeadReference'] = async (file, unattachedState, nowMs) => {
  const { orgId, uuid, funnelId, blockId } = file;
  const lead = formatLeadReference(file);
  // The inspection of a pending file is due at once, and `lookAt` stores this time. If the file is attached to another
  // lead before its inspection, it stays due at this time.
  const dueUpdate = unattachedState === 'pending' ? ':due, lookAt = :due' : 'if_not_exists(lookAt, :due)';
  const update = new UpdateCommand({
    TableName: tableName(),
    Key: uploadKey({ orgId, uuid }),
    UpdateExpression: `SET #state = :attached, dueAt = ${dueUpdate} ADD leads :leads`,
    ConditionExpression: [
      blockId === undefined ? 'funnelId = :origin' : 'blockId = :origin',
      '(#state = :attached OR (#state = :from AND createdAtMs > :oldest))',
      '(attribute_not_exists(leads) OR size(leads) < :most OR contains(leads, :lead))',
    ].join(' AND '),
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: {
      ':attached': STORED_STATES.attached,
      ':from': STORED_STATES[unattachedState],
      ':origin': blockId ?? funnelId,
      ':oldest': nowMs - UNREFERENCED_TTL_MS,
      ':due': formatDueAt(unattachedState === 'pending' ? nowMs : nowMs + LEAD_CHECK_DELAY_MS),
      ':leads': new Set([lead]),
      ':lead': lead,
      ':most': LEADS_PER_FILE_MAX,
    },
  });
  return isWritten(
    rethrowAsUnavailable(NOT_AVAILABLE, () => undefinedIfConditionFailed(dynamoDocumentClient().send(update))),
  );
};

export const findDueUploads: UploadRepository['findDue'] = async (nowMs, limit) => {
  const keys = await queryDueKeys('uploadsTable', uploadDueShard, nowMs, limit);
  const dueKeys = keys.length > 0 ? keys : await queryDueKeysInShard('uploadsTable', RETRY_SHARD, nowMs, limit);
  return dueKeys.map(parseUploadKey);
};

export const updateUpload: UploadRepository['update'] = (upload, changes) => {
  const { state = upload.state, isInspected = upload.isInspected, attempts = upload.attempts ?? 0, reason } = changes;
  const isRetried = attempts > 0 && !isInspected;
  const set = ['#state = :to', 'inspected = :inspected', 'dueAt = :due', 'dueShard = :shard'];
  // `lookAt` keeps the time of the next attempt, because `addLeadReference` would otherwise replace it.
  if (isRetried) set.push('attempts = :attempts', 'lookAt = :due');
  if (reason !== undefined) set.push('reason = :reason');
  const removed = [
    ...(isInspected ? ['lookAt', 'reservation'] : []),
    ...(isRetried ? [] : ['attempts']),
    ...(changes.remove ? [changes.remove] : []),
  ];
  return updateAsRead(upload, {
    UpdateExpression: `SET ${set.join(', ')}${removed.length > 0 ? ` REMOVE ${removed.join(', ')}` : ''}`,
    ExpressionAttributeValues: {
      ':to': STORED_STATES[state],
      ':inspected': isInspected,
      ':due': formatDueAt(changes.dueAtMs),
      ':shard': isRetried ? RETRY_SHARD : uploadDueShardOf(upload.uuid),
      ...(isRetried && { ':attempts': attempts }),
      ...(reason && { ':reason': reason }),
    },
  });
};

const listByLeads: UploadRepository['listByLeads'] = async function* (orgId, leads) {
  const { pk, sk } = uploadKey({ orgId, uuid: '' });
  const query = {
    TableName: tableName(),
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
    ExpressionAttributeValues: { ':pk': pk, ':sk': sk },
  };
  for await (const { Items = [] } of paginateQuery({ client: dynamoDocumentClient() }, query)) {
    for (const upload of Items.map(parseUploadItem)) if (upload.leads.some((lead) => leads.has(lead))) yield upload;
  }
};

export const deleteUpload: UploadRepository['delete'] = async (upload) => {
  const deletion = new DeleteCommand({
    TableName: tableName(),
    Key: uploadKey(upload),
    ConditionExpression: '#state = :deleting',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ':deleting': STORED_STATES.deleting },
  });
  await undefinedIfConditionFailed(dynamoDocumentClient().send(deletion));
};

type Update = Pick<
  UpdateCommandInput,
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

/** Updates a record if its state and due time have not changed since it was read. Returns whether it was updated. */
function updateAsRead(upload: Upload, update: Update): Promise<boolean> {
  const command = new UpdateCommand({
    TableName: tableName(),
    Key: uploadKey(upload),
    ...update,
    ConditionExpression: [update.ConditionExpression, 'dueAt = :readDue', '#state = :readState']
      .filter((condition) => condition !== undefined)
      .join(' AND '),
    ExpressionAttributeNames: { ...update.ExpressionAttributeNames, '#state': 'state' },
    ExpressionAttributeValues: {
      ...update.ExpressionAttributeValues,
      ':readDue': formatDueAt(upload.dueAtMs),
      ':readState': STORED_STATES[upload.state],
    },
  });
  return isWritten(undefinedIfConditionFailed(dynamoDocumentClient().send(command)));
}

const isWritten = async (result: Promise<unknown>): Promise<boolean> => (await result) !== undefined;
