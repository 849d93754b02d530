import type { Funnel } from '../funnels/funnel.ts';
import type { LeadIndexReader } from '../leads/ports.ts';
import type { Organization } from '../organizations/organization.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { CallIds } from '../training/call.ts';
import type { EraseCallResult } from '../training/erase-call.ts';
import type { EraseRecordingResult } from '../training/erase-recording.ts';
import type { CallRetentionRepository, RetainedCall } from '../training/retained-call.ts';
import type { ErasureSweepOutcome } from '../training/sweep-erasures.ts';
import type { LeadToErase } from './erase-lead.ts';

/** What has to be read to know what is due. */
export type RetentionReadPorts = {
  organizations: { find(orgId: string): Promise<Pick<Organization, 'retention'> | undefined> };
  funnels: {
    /** Ids, archived ones too. */
    listFunnelIds(orgId: string): Promise<string[]>;
    find(funnelId: string): Promise<Pick<Funnel, 'leadRetentionDays'> | undefined>;
  };
  leads: Pick<LeadIndexReader, 'listEntries'>;
  calls: Pick<CallRetentionRepository, 'listCreatedBefore' | 'readRecordingCursor'>;
  clock: Clock;
};

export type OrganizationRetentionPorts = RetentionReadPorts & {
  calls: CallRetentionRepository;
  /**
   * `not due`: it was submitted again.
   *
   * @param lastSubmittedBy ISO 8601 UTC, inclusive; undefined: only one whose erasure has begun
   */
  eraseLead(lead: LeadToErase, lastSubmittedBy: string | undefined): Promise<'erased' | 'gone' | 'not due'>;
  eraseCall(ids: CallIds): Promise<EraseCallResult['outcome']>;
  eraseRecording(call: RetainedCall): Promise<EraseRecordingResult>;
  log: Logger;
};

/** Of all organizations. */
export type RetentionRunPorts = OrganizationRetentionPorts & {
  organizations: RetentionReadPorts['organizations'] & {
    /** In no order. */
    listIds(): Promise<string[]>;
  };
  /** Ends erasures of calls that were begun. */
  settleErasures(endMs: number): Promise<Map<ErasureSweepOutcome, number>>;
  /** From 0 to below 1: where the run begins. */
  random(): number;
};

/** What came of what was due. */
export type RetentionOutcome =
  | 'leads_erased'
  /** Somebody else has erased it, or it expired. */
  | 'leads_gone'
  | 'leads_submitted_again'
  | 'leads_failed'
  /** Some of a funnel's leads, or all, could not even be looked at. */
  | 'funnels_failed'
  | 'calls_erased'
  | 'calls_gone'
  /** Not ended yet, or about to be given its recording: the next run comes back to it. */
  | 'calls_under_way'
  | 'calls_failed'
  | 'recordings_erased'
  | 'recordings_under_way'
  | 'recordings_failed'
  | 'organizations_failed'
  /** Its turn did not come, or was too short: the next run goes on. */
  | 'organizations_unfinished'
  | `erasures_${ErasureSweepOutcome}`;
