import type { DeliveryOutcome } from '../../../shared/deliveries/ports.ts';
import type { RemovalOutcome } from '../../../shared/domains/run-removal.ts';
import type { DomainSweepOutcome as SweptDomain } from '../../../shared/domains/sweep-domains.ts';
import type { PageWriteSweepOutcome as SweptCopy } from '../../../shared/landing-pages/sweep-page-writes.ts';
import { OPTIONAL_METADATA_FIELDS } from '../../../shared/leads/submit-body.ts';
import type { NotificationOutcome } from '../../../shared/notifications/send-notices.ts';
import type { RetentionOutcome } from '../../../shared/privacy/ports.ts';
import type { ProcessCallOutcome } from '../../../shared/training/process-call.ts';
import type { CallSweepOutcome as SweptCall } from '../../../shared/training/sweep-calls.ts';
import type { UploadSweepOutcome as SweptUpload } from '../../../shared/uploads/sweep-uploads.ts';

/** Custom metrics that one dashboard graph shows together. */
export type CustomMetrics = {
  title: string;
  unit: 'times' | 'tokens' | 'seconds' | 'files';
  statistic: 'Sum' | 'Maximum';
  names: readonly string[];
};

/**
 * Returns a metric name for each member of a union. If `members` omits a member, for example a new outcome, the code
 * does not compile.
 */
const family = <Member extends string>(prefix: string, members: Record<Member, true>): string[] =>
  Object.keys(members).map((member) => `${prefix}_${member}`);

const times = (title: string, ...names: string[]): CustomMetrics => ({ title, unit: 'times', statistic: 'Sum', names });

const RETENTION = family<RetentionOutcome>('Retention', {
  leads_erased: true,
  leads_not_found: true,
  leads_submitted_again: true,
  leads_failed: true,
  funnels_failed: true,
  calls_erased: true,
  calls_not_found: true,
  calls_in_progress: true,
  calls_failed: true,
  recordings_erased: true,
  recordings_in_progress: true,
  recordings_failed: true,
  organizations_failed: true,
  organizations_unfinished: true,
  erasures_settled: true,
  erasures_erased: true,
  erasures_in_progress: true,
  erasures_failed: true,
});

const isFailure = (name: string): boolean => name.endsWith('_failed');

/** Custom metrics by dashboard. A test compares them with the metrics that the code records. */
export const CUSTOM_METRICS = {
  pages: [
    times('Server errors, all functions', 'ServerErrors'),
    times('Rate limits that could not be counted', 'LimitNotCounted', 'LimitNotRefunded'),
    times('AI replies that were cut off', 'AiAnswerBrokenOff'),
    times('Copies of pages', 'PagesCopied', 'PageAssetsMissing'),
    times(
      'Page writes swept',
      ...family<SweptCopy>('PageWrites', { committed: true, rolled_back: true, conflict: true, failed: true }),
    ),
    times(
      'Domains provisioned and removed by the sweeper',
      ...family<SweptDomain>('Domains', {
        removed: true,
        waiting: true,
        failed: true,
        conflict: true,
        active: true,
        provisioning: true,
      }),
    ),
    times(
      'Domain removals by request',
      ...family<RemovalOutcome>('DomainRemovals', { removed: true, waiting: true, failed: true, conflict: true }),
    ),
    times('Errors of domains', 'DomainRemovalStepsFailed', 'DomainRemovalsNotStarted', 'DomainProvisioningFailed'),
  ],
  leads: [
    times('Codes sent and not delivered', 'CodesSent_email', 'CodesSent_sms', 'CodeNotDelivered'),
    times('Optional metadata dropped from submits', ...OPTIONAL_METADATA_FIELDS.map((name) => `SubmitDropped_${name}`)),
    times(
      'Uploads swept',
      ...family<SweptUpload>('Uploads', {
        referenced: true,
        detached: true,
        deleted: true,
        inspected: true,
        rejected: true,
        conflict: true,
        inspection_postponed: true,
        inspection_abandoned: true,
        arrived: true,
        reservation_released: true,
        error: true,
      }),
    ),
    times('Sweeper backlog: calls, uploads, pages, domains and notifications', 'SweepBacklog'),
    times(
      'Deliveries to webhook endpoints',
      ...family<DeliveryOutcome>('Deliveries', { delivered: true, failed: true, given_up: true, paused: true }),
    ),
    {
      title: 'Age of the oldest due change or delivery',
      unit: 'seconds',
      statistic: 'Maximum',
      names: ['Deliveries_oldestDueSeconds'],
    },
    times(
      'Notification mails',
      ...family<NotificationOutcome>('Notifications', { sent: true, failed: true, given_up: true, error: true }),
    ),
    times('Erased by retention', ...RETENTION.filter((name) => !isFailure(name))),
    times('Failed erasures', ...RETENTION.filter(isFailure)),
    times(
      'Calls scored',
      ...family<ProcessCallOutcome>('Analyses', {
        completed: true,
        recorded: true,
        without_recording: true,
        recording_too_large: true,
        nothing: true,
      }),
    ),
    times(
      'Calls swept',
      ...family<SweptCall>('Calls', {
        processing_started: true,
        failed_to_start: true,
        waiting: true,
        abandoned: true,
        restarted: true,
        failed: true,
        recording_retried: true,
        recording_given_up: true,
        conflict: true,
        error: true,
      }),
    ),
    times('Judgements of calls', 'JudgeAnswered', 'JudgeFailed', 'JudgeUnreadable', 'JudgeBudgetUsedUp'),
    times(
      'Errors of calls',
      ...['VoiceUnreachable', 'VoiceAnalysesNotStarted', 'TranscriptsCut', 'TranscriptsNotMoved'],
      ...['RecordingsNotStored', 'RecordingsTooLarge', 'SignaturesRefused', 'SignedBodiesUnreadable'],
    ),
    times(
      'Unusual voice webhooks',
      ...['VoiceConversationsUnknown', 'VoiceAgentMismatches', 'VoiceEventsStale'],
      ...['VoiceAudioEvents', 'VoiceEventsOfUnknownType', 'VoiceConversationsInProgress'],
    ),
  ],
  numbers: [
    {
      title: 'Age of the oldest fresh fact',
      unit: 'seconds',
      statistic: 'Maximum',
      names: ['FreshFacts_oldestPendingSeconds'],
    },
    { title: 'Level 1 files of a funnel', unit: 'files', statistic: 'Maximum', names: ['Facts_level1FilesMax'] },
    times('Dead letters', 'DeadLettersStored'),
    times('Reads of unreadable fact files', 'FactFilesUnreadable'),
    { title: 'Files swept', unit: 'files', statistic: 'Sum', names: ['FactFiles_removed', 'FactFiles_orphaned'] },
  ],
  cost: [{ title: 'Tokens of models', unit: 'tokens', statistic: 'Sum', names: ['AiTokens'] }],
} as const satisfies Record<string, readonly CustomMetrics[]>;
