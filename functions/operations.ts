import type { Operation } from '../shared/http/operation.ts';
import type { BackgroundFunction } from '../shared/platform/background.ts';
import { acquisition } from './analytics/acquisition/operation.ts';
import { overview } from './analytics/overview/operation.ts';
import { timeseries } from './analytics/timeseries/operation.ts';
import { aggregateEvents } from './background/aggregate-events/function.ts';
import { analyseCall } from './background/analyse-call/function.ts';
import { compactBase } from './background/compact-base/function.ts';
import { compactFacts } from './background/compact-facts/function.ts';
import { enforceRetentionPeriods } from './background/enforce-retention/function.ts';
import { eraseLateEvents } from './background/erase-late/function.ts';
import { removeDomain } from './background/remove-domain/function.ts';
import { sweepCalls } from './background/sweep-calls/function.ts';
import { sweepCopies } from './background/sweep-copies/function.ts';
import { sweepDomains } from './background/sweep-domains/function.ts';
import { sweepFactFiles } from './background/sweep-facts/function.ts';
import { sweepUploads } from './background/sweep-uploads/function.ts';
import { deleteDomain } from './domains/delete/operation.ts';
import { aiStream } from './funnel/ai-stream/operation.ts';
import { ingestAnalytics } from './funnel/ingest-analytics/operation.ts';
import { mfaCheck } from './funnel/mfa-check/operation.ts';
import { mfaSend } from './funnel/mfa-send/operation.ts';
import { submit } from './funnel/submit/operation.ts';
import { upload } from './funnel/upload/operation.ts';
import { copyLandingPage } from './landing-pages/copy/operation.ts';
import { createCase } from './training/create-case/operation.ts';
import { openSession } from './training/open-session/operation.ts';
import { readCall } from './training/read-call/operation.ts';
import { voiceWebhook } from './training/voice-webhook/operation.ts';

/** Every operation that callers see. */
export const operations: readonly Operation[] = [
  overview,
  timeseries,
  acquisition,
  aiStream,
  ingestAnalytics,
  mfaCheck,
  mfaSend,
  submit,
  upload,
  createCase,
  openSession,
  readCall,
  voiceWebhook,
  copyLandingPage,
  deleteDomain,
];

/** Every function that no caller waits for. */
export const backgroundFunctions: readonly BackgroundFunction[] = [
  aggregateEvents,
  compactFacts,
  compactBase,
  sweepFactFiles,
  eraseLateEvents,
  sweepUploads,
  sweepCalls,
  sweepCopies,
  analyseCall,
  enforceRetentionPeriods,
  removeDomain,
  sweepDomains,
];
