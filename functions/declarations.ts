import { acquisitionOperation } from './analytics/acquisition/operation.ts';
import { overviewOperation } from './analytics/overview/operation.ts';
import { timeseriesOperation } from './analytics/timeseries/operation.ts';
import { aggregateEventsFunction } from './background/aggregate-events/function.ts';
import { analyseCallFunction } from './background/analyse-call/function.ts';
import { compactBaseFunction } from './background/compact-base/function.ts';
import { compactFactsFunction } from './background/compact-facts/function.ts';
import { dispatchMessagesFunction } from './background/dispatch-messages/function.ts';
import { enforceRetentionFunction } from './background/enforce-retention/function.ts';
import { eraseLateFunction } from './background/erase-late/function.ts';
import { removeDomainFunction } from './background/remove-domain/function.ts';
import { runDispatcherFunction } from './background/run-dispatcher/function.ts';
import { sendNotificationsFunction } from './background/send-notifications/function.ts';
import { sweepCallsFunction } from './background/sweep-calls/function.ts';
import { sweepCopiesFunction } from './background/sweep-copies/function.ts';
import { sweepDomainsFunction } from './background/sweep-domains/function.ts';
import { sweepFactsFunction } from './background/sweep-facts/function.ts';
import { sweepUploadsFunction } from './background/sweep-uploads/function.ts';
import type { BackgroundFunction } from './declare-background-function.ts';
import type { ServiceOperation } from './declare-operation.ts';
import { deleteDomainOperation } from './domains/delete/operation.ts';
import { aiStreamOperation } from './funnel/ai-stream/operation.ts';
import { ingestAnalyticsOperation } from './funnel/ingest-analytics/operation.ts';
import { checkVerificationCodeOperation } from './funnel/mfa-check/operation.ts';
import { sendVerificationCodeOperation } from './funnel/mfa-send/operation.ts';
import { submitOperation } from './funnel/submit/operation.ts';
import { uploadOperation } from './funnel/upload/operation.ts';
import { copyLandingPageOperation } from './landing-pages/copy/operation.ts';
import { createAddressOperation } from './notifications/create-address/operation.ts';
import { deleteAddressOperation } from './notifications/delete-address/operation.ts';
import { followLinkOperation } from './notifications/follow-link/operation.ts';
import { listAddressesOperation } from './notifications/list-addresses/operation.ts';
import { showLinkOperation } from './notifications/show-link/operation.ts';
import { updateAddressOperation } from './notifications/update-address/operation.ts';
import { createCaseOperation } from './training/create-case/operation.ts';
import { openSessionOperation } from './training/open-session/operation.ts';
import { readCallOperation } from './training/read-call/operation.ts';
import { voiceWebhookOperation } from './training/voice-webhook/operation.ts';
import { createEndpointOperation } from './webhooks/create-endpoint/operation.ts';
import { deleteEndpointOperation } from './webhooks/delete-endpoint/operation.ts';
import { listDeliveriesOperation } from './webhooks/list-deliveries/operation.ts';
import { listEndpointsOperation } from './webhooks/list-endpoints/operation.ts';
import { readEndpointOperation } from './webhooks/read-endpoint/operation.ts';
import { redeliverOperation } from './webhooks/redeliver/operation.ts';
import { redeliverSinceOperation } from './webhooks/redeliver-since/operation.ts';
import { rotateSecretOperation } from './webhooks/rotate-secret/operation.ts';
import { testEndpointOperation } from './webhooks/test-endpoint/operation.ts';
import { updateEndpointOperation } from './webhooks/update-endpoint/operation.ts';

/** All operations, in the order of the OpenAPI document. */
export const operations: readonly ServiceOperation[] = [
  submitOperation,
  sendVerificationCodeOperation,
  checkVerificationCodeOperation,
  aiStreamOperation,
  uploadOperation,
  ingestAnalyticsOperation,
  createCaseOperation,
  openSessionOperation,
  readCallOperation,
  voiceWebhookOperation,
  copyLandingPageOperation,
  deleteDomainOperation,
  overviewOperation,
  timeseriesOperation,
  acquisitionOperation,
  createEndpointOperation,
  listEndpointsOperation,
  readEndpointOperation,
  updateEndpointOperation,
  deleteEndpointOperation,
  rotateSecretOperation,
  testEndpointOperation,
  listDeliveriesOperation,
  redeliverOperation,
  redeliverSinceOperation,
  createAddressOperation,
  listAddressesOperation,
  updateAddressOperation,
  deleteAddressOperation,
  showLinkOperation,
  followLinkOperation,
];

export const backgroundFunctions: readonly BackgroundFunction[] = [
  aggregateEventsFunction,
  compactFactsFunction,
  compactBaseFunction,
  sweepFactsFunction,
  eraseLateFunction,
  sweepUploadsFunction,
  sweepCallsFunction,
  sweepCopiesFunction,
  analyseCallFunction,
  enforceRetentionFunction,
  removeDomainFunction,
  sweepDomainsFunction,
  dispatchMessagesFunction,
  runDispatcherFunction,
  sendNotificationsFunction,
];
