import type { LeadIndexReader } from '../leads/ports.ts';
import type { Organization } from '../organizations/organization.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { CallIds } from '../training/call.ts';
import type { EraseCallResult } from '../training/erase-call.ts';
import type { EraseRecordingResult } from '../training/erase-recording.ts';
import type { CallRetentionRepository, RetainedCall } from '../training/ports.ts';
import type { ErasureSweepOutcome } from '../training/sweep-erasures.ts';
import type { LeadToErase } from './erase-lead.ts';
import type { FunnelRetention } from './retention-periods.ts';

export type RetentionReadPorts = {
  organizations: { find(orgId: string): Promise<Pick<Organization, 'retention'> | undefined> };
  funnels: {
    /** The ids of all funnels, including archived ones. */
    listFunnelIds(orgId: string): Promise<string[]>;
    find(funnelId: string): Promise<FunnelRetention | undefined>;
  };
  leads: Pick<LeadIndexReader, 'listEntries'>;
  calls: Pick<CallRetentionRepository, 'listCreatedBefore' | 'readRecordingCursor'>;
  clock: Clock;
};

export type OrganizationRetentionPorts = RetentionReadPorts & {
  calls: CallRetentionRepository;
  /**
   * Erases a lead that is due, has expired or is already being erased. Otherwise returns `not_due`. A lead is due if
   * its last submit was at `lastSubmitUntil` (ISO 8601 UTC) or earlier. Undefined: no lead is due.
   */
  eraseLead(lead: LeadToErase, lastSubmitUntil: string | undefined): Promise<'erased' | 'not_found' | 'not_due'>;
  eraseCall(ids: CallIds): Promise<EraseCallResult['outcome']>;
  eraseRecording(call: RetainedCall): Promise<EraseRecordingResult>;
  log: Logger;
};

export type RetentionRunPorts = OrganizationRetentionPorts & {
  organizations: RetentionReadPorts['organizations'] & {
    /** The ids of all organizations, in no particular order. */
    listIds(): Promise<string[]>;
  };
  /** Completes interrupted erasures of calls (see `sweepErasures`). Starts no erasure after `endMs`. */
  settleErasures(endMs: number): Promise<Map<ErasureSweepOutcome, number>>;
  /** A random number from 0 (inclusive) to 1 (exclusive), which chooses the first organization. */
  random(): number;
};

/** Outcome for a lead, a call, a recording, a funnel or an organization. */
export type RetentionOutcome =
  | 'leads_erased'
  /** Another process has erased the lead, or DynamoDB has deleted it (only leads of earlier releases). */
  | 'leads_not_found'
  | 'leads_submitted_again'
  | 'leads_failed'
  /** The funnel could not be read, or some or all of its leads could not be listed. */
  | 'funnels_failed'
  | 'calls_erased'
  | 'calls_not_found'
  /** The call has not ended or is being analysed. The next run retries. */
  | 'calls_in_progress'
  | 'calls_failed'
  | 'recordings_erased'
  /** A function may still store the recording. The next run retries. */
  | 'recordings_in_progress'
  | 'recordings_failed'
  | 'organizations_failed'
  /** The run ended before all due data of the organization was processed. The next run continues. */
  | 'organizations_unfinished'
  | `erasures_${ErasureSweepOutcome}`;
