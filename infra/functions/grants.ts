import type { Grant } from '../../functions/grants.ts';
import type { GrantTarget } from './grant-targets.ts';

type Permission = { on: GrantTarget; actions: readonly string[] };

/**
 * Functions that list no objects can also need s3:ListBucket. Without it, S3 returns 403 instead of 404 for a missing
 * object.
 */
const GRANTS: Record<Grant, readonly Permission[]> = {
  'members:read': [{ on: 'table:directory', actions: ['dynamodb:GetItem'] }],
  'organizations:read': [{ on: 'table:directory', actions: ['dynamodb:GetItem'] }],
  'funnels:read': [{ on: 'table:directory', actions: ['dynamodb:GetItem'] }],
  'blocks:read': [{ on: 'table:directory', actions: ['dynamodb:GetItem'] }],
  'uploads:write': [
    { on: 'table:uploads', actions: ['dynamodb:PutItem'] },
    { on: 'bucket:files', actions: ['s3:PutObject'] },
    // S3 accepts an upload with a signed form only if the function that signed the form has this permission.
    { on: 'bucket:sent-files', actions: ['s3:PutObject'] },
  ],
  'uploads:attach': [
    { on: 'table:uploads', actions: ['dynamodb:UpdateItem', 'dynamodb:GetItem'] },
    // An uploaded file is inspected and then copied to a key for which no form is signed.
    { on: 'bucket:sent-files', actions: ['s3:GetObject'] },
    { on: 'bucket:files', actions: ['s3:GetObject', 's3:PutObject'] },
    { on: 'names:uploads', actions: ['s3:ListBucket'] },
  ],
  'uploads:sweep': [
    { on: 'index:uploads/due', actions: ['dynamodb:Query'] },
    { on: 'table:uploads', actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'] },
    { on: 'table:leads', actions: ['dynamodb:GetItem'] },
    { on: 'bucket:files', actions: ['s3:GetObject', 's3:PutObject', 's3:DeleteObject'] },
    { on: 'bucket:sent-files', actions: ['s3:GetObject', 's3:DeleteObject'] },
    { on: 'names:uploads', actions: ['s3:ListBucket'] },
  ],
  'pages:copy': [
    {
      on: 'table:directory',
      actions: [
        'dynamodb:GetItem',
        'dynamodb:Query',
        'dynamodb:PutItem',
        'dynamodb:UpdateItem',
        'dynamodb:DeleteItem',
        'dynamodb:BatchWriteItem',
      ],
    },
    { on: 'bucket:assets', actions: ['s3:GetObject', 's3:PutObject'] },
    { on: 'names:uploads', actions: ['s3:ListBucket'] },
  ],
  'page-writes:sweep': [
    { on: 'index:directory/due', actions: ['dynamodb:Query'] },
    {
      on: 'table:directory',
      actions: [
        'dynamodb:GetItem',
        'dynamodb:Query',
        'dynamodb:PutItem',
        'dynamodb:DeleteItem',
        'dynamodb:BatchWriteItem',
      ],
    },
    { on: 'bucket:assets', actions: ['s3:DeleteObject'] },
    { on: 'names:uploads', actions: ['s3:ListBucket'] },
  ],
  'limits:consume': [{ on: 'table:limits', actions: ['dynamodb:UpdateItem'] }],
  // When a cooldown rejects a request, the read determines the remaining time.
  'limits:cooldown': [{ on: 'table:limits', actions: ['dynamodb:UpdateItem', 'dynamodb:GetItem'] }],
  'limits:read': [{ on: 'table:limits', actions: ['dynamodb:GetItem'] }],
  'cases:write': [{ on: 'table:training', actions: ['dynamodb:PutItem'] }],
  'sessions:open': [{ on: 'table:training', actions: ['dynamodb:BatchGetItem', 'dynamodb:BatchWriteItem'] }],
  'calls:read': [
    { on: 'table:training', actions: ['dynamodb:GetItem'] },
    { on: 'bucket:transcripts', actions: ['s3:GetObject'] },
    { on: 'names:transcripts', actions: ['s3:ListBucket'] },
  ],
  'calls:receive': [
    { on: 'table:training', actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'] },
    { on: 'bucket:transcripts', actions: ['s3:PutObject'] },
  ],
  'calls:analyse': [
    { on: 'table:training', actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'] },
    { on: 'bucket:transcripts', actions: ['s3:GetObject', 's3:PutObject'] },
    { on: 'names:transcripts', actions: ['s3:ListBucket'] },
    { on: 'bucket:recordings', actions: ['s3:PutObject'] },
  ],
  'calls:sweep': [
    { on: 'index:training/due', actions: ['dynamodb:Query'] },
    { on: 'table:training', actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'] },
    { on: 'bucket:transcripts', actions: ['s3:PutObject'] },
  ],
  'calls:erase': [
    { on: 'index:training/due', actions: ['dynamodb:Query'] },
    { on: 'table:training', actions: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem'] },
    { on: 'bucket:transcripts', actions: ['s3:DeleteObject'] },
    { on: 'bucket:recordings', actions: ['s3:DeleteObject'] },
    { on: 'names:calls', actions: ['s3:ListBucket'] },
    // The function also removes messages about the call that are not delivered yet.
    { on: 'table:deliveries', actions: ['dynamodb:Query', 'dynamodb:UpdateItem'] },
  ],
  'call-events:dispatch': [
    { on: 'index:training/outbox', actions: ['dynamodb:Query'] },
    { on: 'table:training', actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'] },
  ],
  'analysis:start': [{ on: 'function:analyse-call', actions: ['lambda:InvokeFunction'] }],
  // If the response to the write is lost, the read determines whether this write or another request removed the domain.
  'domains:remove': [{ on: 'table:directory', actions: ['dynamodb:UpdateItem', 'dynamodb:GetItem'] }],
  'domains:tear-down': [
    {
      on: 'table:directory',
      actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:Query'],
    },
    // The function also removes messages about the domain that are not delivered yet.
    { on: 'table:deliveries', actions: ['dynamodb:Query', 'dynamodb:UpdateItem'] },
  ],
  'domains:sweep': [{ on: 'index:directory/due', actions: ['dynamodb:Query'] }],
  'domain-events:dispatch': [
    { on: 'index:directory/due', actions: ['dynamodb:Query'] },
    { on: 'table:directory', actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'] },
  ],
  'removal:start': [{ on: 'function:remove-domain', actions: ['lambda:InvokeFunction'] }],
  // Most operations that write endpoints also need this grant. If the response of a write was lost, the SDK repeats the
  // write. If the condition of the repetition fails, a read shows whether the first write succeeded. `update-endpoint`
  // does not need the grant, because its repeated write succeeds.
  'webhooks:read': [{ on: 'table:webhooks', actions: ['dynamodb:GetItem'] }],
  'webhooks:write': [{ on: 'table:webhooks', actions: ['dynamodb:UpdateItem'] }],
  'webhook-secret:read': [{ on: 'secret:webhooks', actions: ['secretsmanager:GetSecretValue'] }],
  'notification-addresses:read': [{ on: 'items:notification-addresses', actions: ['dynamodb:GetItem'] }],
  'notification-addresses:change': [
    { on: 'items:notification-addresses', actions: ['dynamodb:GetItem', 'dynamodb:PutItem'] },
  ],
  // Public functions confirm and unsubscribe an address without reading it.
  'notification-addresses:answer': [{ on: 'items:notification-addresses', actions: ['dynamodb:UpdateItem'] }],
  'notification-secret:read': [{ on: 'secret:notifications', actions: ['secretsmanager:GetSecretValue'] }],
  'notices:add': [{ on: 'table:notifications', actions: ['dynamodb:PutItem', 'dynamodb:UpdateItem'] }],
  // The function reads leads and uploads, because the mails contain leads and the names of their files.
  'notices:send': [
    { on: 'index:notifications/due', actions: ['dynamodb:Query'] },
    { on: 'table:notifications', actions: ['dynamodb:Query', 'dynamodb:UpdateItem', 'dynamodb:BatchWriteItem'] },
    { on: 'table:leads', actions: ['dynamodb:BatchGetItem'] },
    { on: 'table:uploads', actions: ['dynamodb:GetItem'] },
  ],
  'dispatcher:run': [{ on: 'function:dispatch-messages', actions: ['lambda:InvokeFunction'] }],
  'deliveries:list': [{ on: 'table:deliveries', actions: ['dynamodb:Query'] }],
  'deliveries:resume': [{ on: 'table:deliveries', actions: ['dynamodb:UpdateItem'] }],
  'deliveries:redeliver': [
    { on: 'index:deliveries/byMessage', actions: ['dynamodb:Query'] },
    { on: 'table:deliveries', actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'] },
  ],
  'voice-secret:read': [{ on: 'secret:voice', actions: ['secretsmanager:GetSecretValue'] }],
  'voice-webhook-secret:read': [{ on: 'secret:voice-webhook', actions: ['secretsmanager:GetSecretValue'] }],
  // After a failed condition, the read distinguishes a missing lead from a wrong token.
  'leads:write': [{ on: 'table:leads', actions: ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:GetItem'] }],
  'leads:verify': [{ on: 'table:leads', actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'] }],
  // The function also erases the lead's files.
  'leads:erase': [
    { on: 'table:leads', actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem', 'dynamodb:PutItem'] },
    { on: 'table:uploads', actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'] },
    { on: 'bucket:files', actions: ['s3:DeleteObject'] },
    { on: 'bucket:sent-files', actions: ['s3:DeleteObject'] },
    // The function also removes mails about the lead that are not sent yet.
    { on: 'items:notification-addresses', actions: ['dynamodb:GetItem'] },
    { on: 'table:notifications', actions: ['dynamodb:DeleteItem'] },
    // The function also removes messages about the lead that are not delivered yet.
    { on: 'table:deliveries', actions: ['dynamodb:Query', 'dynamodb:UpdateItem'] },
  ],
  'lead-events:dispatch': [
    { on: 'index:leads/due', actions: ['dynamodb:Query'] },
    { on: 'table:leads', actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'] },
  ],
  'deliveries:send': [
    { on: 'index:deliveries/due', actions: ['dynamodb:Query'] },
    { on: 'index:deliveries/lanesByEndpoint', actions: ['dynamodb:Query'] },
    {
      on: 'table:deliveries',
      actions: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:Query'],
    },
  ],
  // The writes store which recordings were deleted, and the progress of the run.
  'retention:enforce': [
    { on: 'table:directory', actions: ['dynamodb:GetItem', 'dynamodb:Query'] },
    { on: 'index:leads/byFunnel', actions: ['dynamodb:Query'] },
    {
      on: 'table:training',
      actions: ['dynamodb:Query', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
    },
  ],
  'lead-secret:read': [{ on: 'secret:leads', actions: ['secretsmanager:GetSecretValue'] }],
  'hash-secret:read': [{ on: 'secret:hashes', actions: ['secretsmanager:GetSecretValue'] }],
  'cdn-secret:read': [{ on: 'secret:cdn', actions: ['secretsmanager:GetSecretValue'] }],
  'ai-secret:read': [{ on: 'secret:ai', actions: ['secretsmanager:GetSecretValue'] }],
  'model:stream': [{ on: 'models:text', actions: ['bedrock:InvokeModelWithResponseStream'] }],
  'messages:send': [
    { on: 'sender:mail', actions: ['ses:SendEmail'] },
    { on: 'sender:sms', actions: ['sms-voice:SendTextMessage'] },
  ],
  'mail:send': [{ on: 'sender:mail', actions: ['ses:SendEmail'] }],
  'edge:set-up': [
    {
      on: 'edge:distribution',
      actions: [
        'cloudfront:CreateDistributionTenant',
        'cloudfront:UpdateDistributionTenant',
        'cloudfront:GetConnectionGroup',
      ],
    },
    {
      on: 'edge:tenants',
      actions: [
        'cloudfront:CreateDistributionTenant',
        'cloudfront:TagResource',
        'cloudfront:GetDistributionTenant',
        'cloudfront:GetManagedCertificateDetails',
      ],
    },
    { on: 'edge:own-tenants', actions: ['cloudfront:UpdateDistributionTenant'] },
    // When the function creates a tenant, CloudFront requests the certificate with the permissions of the function.
    { on: 'certificates:new', actions: ['acm:RequestCertificate'] },
    { on: 'certificates:edge', actions: ['acm:DescribeCertificate'] },
  ],
  'edge:tear-down': [
    { on: 'edge:distribution', actions: ['cloudfront:UpdateDistributionTenant', 'cloudfront:GetConnectionGroup'] },
    { on: 'edge:tenants', actions: ['cloudfront:GetDistributionTenant', 'cloudfront:GetManagedCertificateDetails'] },
    { on: 'edge:own-tenants', actions: ['cloudfront:UpdateDistributionTenant', 'cloudfront:DeleteDistributionTenant'] },
    // The update that disables a tenant repeats the ARN of its certificate, and therefore needs DescribeCertificate.
    { on: 'certificates:edge', actions: ['acm:DescribeCertificate', 'acm:DeleteCertificate'] },
  ],
  'events:put': [{ on: 'stream:events', actions: ['kinesis:PutRecord'] }],
  'events:consume': [
    {
      on: 'stream:events',
      actions: [
        'kinesis:DescribeStream',
        'kinesis:DescribeStreamSummary',
        'kinesis:GetRecords',
        'kinesis:GetShardIterator',
        'kinesis:ListShards',
      ],
    },
  ],
  'fresh-facts:write': [{ on: 'table:analytics', actions: ['dynamodb:PutItem'] }],
  'pending-items:list': [{ on: 'index:analytics/waiting', actions: ['dynamodb:Query'] }],
  'facts:read': [
    { on: 'table:analytics', actions: ['dynamodb:GetItem', 'dynamodb:Query'] },
    { on: 'bucket:facts', actions: ['s3:GetObject'] },
  ],
  'facts:compact': [
    {
      on: 'table:analytics',
      actions: ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:PutItem', 'dynamodb:BatchWriteItem'],
    },
    { on: 'bucket:facts', actions: ['s3:PutObject'] },
  ],
  'facts:compact-base': [
    { on: 'table:analytics', actions: ['dynamodb:GetItem', 'dynamodb:PutItem'] },
    { on: 'bucket:facts', actions: ['s3:GetObject', 's3:PutObject'] },
  ],
  'facts:sweep': [
    { on: 'table:analytics', actions: ['dynamodb:GetItem', 'dynamodb:PutItem'] },
    { on: 'bucket:facts', actions: ['s3:DeleteObject', 's3:DeleteObjectVersion'] },
    { on: 'names:facts', actions: ['s3:ListBucket', 's3:ListBucketVersions'] },
  ],
  'raw-events:erase': [
    // Permissions for versions are not needed, because the bucket has no versioning.
    { on: 'bucket:lake', actions: ['s3:GetObject', 's3:PutObject', 's3:DeleteObject'] },
    { on: 'names:lake', actions: ['s3:ListBucket'] },
  ],
  'erasures:write': [{ on: 'table:analytics', actions: ['dynamodb:PutItem'] }],
  // The writes store the lease for rewriting raw events, and the start time of the last complete run of `erase-late`.
  'leases:acquire': [{ on: 'table:analytics', actions: ['dynamodb:GetItem', 'dynamodb:PutItem'] }],
  'dead-letters:write': [{ on: 'bucket:dead-letters', actions: ['s3:PutObject'] }],
};

/** Returns the actions on each target, merged over the given grants. */
export function grantPermissions(grants: readonly Grant[]): Map<GrantTarget, Set<string>> {
  const permissions = new Map<GrantTarget, Set<string>>();
  for (const { on, actions } of grants.toSorted().flatMap((grant) => GRANTS[grant])) {
    permissions.set(on, new Set([...(permissions.get(on) ?? []), ...actions]));
  }
  return permissions;
}
