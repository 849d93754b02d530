import type { RemovalOutcome } from '../../../shared/domains/run-removal.ts';
import type { DomainSweepOutcome as SweptDomain } from '../../../shared/domains/sweep-domains.ts';
import type { PageWriteSweepOutcome as SweptCopy } from '../../../shared/landing-pages/sweep-page-writes.ts';
import { OPTIONAL_METADATA_FIELDS } from '../../../shared/leads/submit-body.ts';
import type { RetentionOutcome } from '../../../shared/privacy/ports.ts';
import type { ProcessCallOutcome } from '../../../shared/training/process-call.ts';
import type { CallSweepOutcome as SweptCall } from '../../../shared/training/sweep-calls.ts';
import type { UploadSweepOutcome as SweptUpload } from '../../../shared/uploads/sweep-uploads.ts';

/** Metrics of the service's own that belong together, as a dashboard shows them. */
export type CustomMetrics = {
  /** A question or a noun. */
  title: string;
  unit: 'times' | 'tokens' | 'seconds' | 'files';
  statistic: 'Sum' | 'Maximum';
  names: readonly string[];
};

/** Every member, or it does not compile: what a function learns to say is not left out here. */
const family = <Member extends string>(prefix: string, members: Record<Member, true>): string[] =>
  Object.keys(members).map((member) => `${prefix}_${member}`);

const times = (title: string, ...names: string[]): CustomMetrics => ({ title, unit: 'times', statistic: 'Sum', names });

const RETENTION = family<RetentionOutcome>('Retention', {
  ...{ leads_erased: true, leads_gone: true, leads_submitted_again: true, leads_failed: true, funnels_failed: true },
  ...{ calls_erased: true, calls_gone: true, calls_under_way: true, calls_failed: true },
  ...{ recordings_erased: true, recordings_under_way: true, recordings_failed: true },
  ...{ organizations_failed: true, organizations_unfinished: true },
  ...{ erasures_settled: true, erasures_erased: true, erasures_under_way: true, erasures_failed: true },
});

const isFailure = (name: string): boolean => name.endsWith('_failed');

/** By the dashboard's question. A test finds every metric that the code counts in here, and no other. */
export const CUSTOM_METRICS = {
  pages: [
    times('Answers with a server error, all functions', 'ServerErrors'),
    times('Limits that did not hold', 'LimitNotCounted', 'LimitNotGivenBack'),
    times('Assistants that broke off', 'AiAnswerBrokenOff'),
    times('Copies of pages', 'PagesCopied', 'PageAssetsGone'),
    times(
      'Leftovers of copies',
      ...family<SweptCopy>('PageCopies', { committed: true, removed: true, overtaken: true, failed: true }),
    ),
    times(
      'Domains set up and removed in the background',
      ...family<SweptDomain>('Domains', {
        ...{ removed: true, waiting: true, failed: true, overtaken: true },
        ...{ active: true, setting_up: true, broken: true },
      }),
    ),
    times(
      'Removals of domains by request',
      ...family<RemovalOutcome>('DomainRemovals', { removed: true, waiting: true, failed: true, overtaken: true }),
    ),
    times('Trouble with domains', 'DomainRemovalStepsFailed', 'DomainRemovalsNotStarted', 'DomainSetUpsFailed'),
  ],
  leads: [
    times('Codes sent and not delivered', 'CodesSent_email', 'CodesSent_sms', 'CodeNotDelivered'),
    times('Parts of submits that were left out', ...OPTIONAL_METADATA_FIELDS.map((name) => `SubmitDropped_${name}`)),
    times(
      'Uploads looked at in the background',
      ...family<SweptUpload>('Uploads', {
        ...{ removed: true, kept: true, unkept: true, inspected: true, refused: true, overtaken: true, failed: true },
        ...{ postponed: true, given_up: true, arrived: true, released: true },
      }),
    ),
    times('Due and left for the next run, calls, uploads, pages and domains', 'SweepBacklog'),
    times('Erased because kept long enough', ...RETENTION.filter((name) => !isFailure(name))),
    times('Erasures that failed', ...RETENTION.filter(isFailure)),
    times(
      'Calls scored',
      ...family<ProcessCallOutcome>('Analyses', {
        ...{ completed: true, recorded: true, without_recording: true, recording_given_up: true, nothing: true },
      }),
    ),
    times(
      'Calls that the sweeper moved on',
      ...family<SweptCall>('Calls', {
        ...{ begun: true, refused: true, waiting: true, abandoned: true, restarted: true, failed: true },
        ...{ recording_retried: true, recording_given_up: true, overtaken: true, broken: true },
      }),
    ),
    times('Judge of calls', 'JudgeAnswered', 'JudgeFailed', 'JudgeUnreadable', 'JudgeBudgetUsedUp'),
    times(
      'Trouble with calls',
      ...['VoiceUnreachable', 'VoiceAnalysesNotStarted', 'TranscriptsCut', 'TranscriptsNotMoved'],
      ...['RecordingsNotKept', 'RecordingsTooLarge', 'SignaturesRefused', 'SignedBodiesUnreadable'],
    ),
    times(
      'Webhooks that changed nothing',
      ...['VoiceConversationsUnknown', 'VoiceAgentsOther', 'VoiceEventsRepeated'],
      ...['VoiceAudioEvents', 'VoiceEventsOfUnknownType', 'VoiceConversationsGoing'],
    ),
  ],
  numbers: [
    { title: 'Oldest fact that waits', unit: 'seconds', statistic: 'Maximum', names: ['FreshFacts_oldestWaitSeconds'] },
    { title: 'Small files of a funnel', unit: 'files', statistic: 'Maximum', names: ['Facts_amendmentFilesMax'] },
    times('Records set aside', 'RecordsSetAside'),
    times('Reads that found files unreadable', 'FactFilesUnreadable'),
    { title: 'Files swept', unit: 'files', statistic: 'Sum', names: ['FactFiles_removed', 'FactFiles_orphaned'] },
  ],
  cost: [{ title: 'Tokens of models', unit: 'tokens', statistic: 'Sum', names: ['AiTokens'] }],
} as const satisfies Record<string, readonly CustomMetrics[]>;
