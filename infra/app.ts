import { join } from 'node:path';
import { App, CfnOutput, type Stack, Validations } from 'aws-cdk-lib';
import { backgroundFunctions, operations } from '../functions/declarations.ts';
import type { BackgroundFunction } from '../functions/declare-background-function.ts';
import type { ServiceOperation } from '../functions/declare-operation.ts';
import { requireLayer } from './functions/duckdb-layer.ts';
import { PREVIEW_TAGS, UNPROTECTED_STACKS } from './names.ts';
import { ISSUER_OUTPUTS, OUTPUTS, outputName, STREAMING_OUTPUTS } from './outputs.ts';
import { settingsHelp } from './settings/settings.ts';
import { parseStage, type Stage } from './settings/stages.ts';
import { warnAboutAlarmRecipient } from './settings/watch-settings.ts';
import { adminStack } from './stacks/admin/admin-stack.ts';
import { apiStack } from './stacks/api/api-stack.ts';
import { dataStack } from './stacks/data/data-stack.ts';
import { watchSpending } from './stacks/data/spending.ts';
import { lakeStack } from './stacks/lake/lake-stack.ts';
import { observabilityStack } from './stacks/observability/observability-stack.ts';
import { streamingStack } from './stacks/streaming/streaming-stack.ts';
import { webStack } from './stacks/web/web-stack.ts';

type Declared = { operations: readonly ServiceOperation[]; backgroundFunctions: readonly BackgroundFunction[] };

/** Parses the stage that the app's context describes. The CDK CLI sets `CDK_DEFAULT_REGION`. */
const stageIn = ({ node }: App) =>
  parseStage((name) => node.tryGetContext(name), Object.keys(node.getAllContext()), process.env.CDK_DEFAULT_REGION);

/** Creates all stacks of the stage that the app's context names. @param dist folder of the built bundles and layers */
export function buildStacks(app: App, dist: string, declared: Declared = { operations, backgroundFunctions }) {
  const stage = stageIn(app);
  const data = dataStack(app, stage);
  for (const [name, target] of Object.entries(OUTPUTS)) {
    new CfnOutput(data.stack, outputName(name), { value: data.resources[target].name });
  }
  for (const [name, part] of Object.entries(ISSUER_OUTPUTS)) {
    new CfnOutput(data.stack, outputName(name), { value: data.oidc[part] });
  }
  watchSpending(data.stack, stage);
  if (stage.keepsData) warnAboutAlarmRecipient(data.stack, stage.watch);
  requireLayer(data.stack, dist);
  const streaming = streamingStack(app, { stage, dist, resources: data.resources }, declared.backgroundFunctions);
  for (const [name, target] of Object.entries(STREAMING_OUTPUTS)) {
    new CfnOutput(streaming.stack, outputName(name), { value: streaming.deployment.resources[target].name });
  }
  const api = apiStack(app, streaming.deployment, data.oidc, declared.operations);
  const { resources } = streaming.deployment;
  const lake = lakeStack(app, stage, resources);
  // A new Firehose stream skips earlier records, so the lake stack must exist before the API accepts the first event.
  api.stack.addStackDependency(lake);
  const admin = adminStack(app, streaming.deployment, api, declared.operations);
  const observability = observabilityStack(app, stage, resources);
  // The stack `observability` refers to resources of the stacks above by name, so CDK does not detect the dependencies.
  // A dependency on `admin` is enough, because `admin` is deployed after the other stacks.
  observability.addStackDependency(admin);
  const web = webStack(app, stage);
  // The stack `web` is deployed last, so that the other stacks are deployed even if the deployment of `web` fails:
  // CloudFront rejects distributions of a new account until AWS has verified the account.
  web.addStackDependency(observability);
  const stacks = [data.stack, streaming.stack, lake, api.stack, admin, observability, web];
  tagPreview(stage, stacks);
  leaveUnprotected(app, stacks);
  return { data: data.stack, streaming: streaming.stack, lake, api: api.stack, admin, observability, web, resources };
}

/** Tags the stacks of a preview, so that `npm run stage` finds the preview. */
function tagPreview({ name, expiresAt }: Stage, stacks: readonly Stack[]): void {
  if (expiresAt === undefined) return;
  for (const stack of stacks) {
    stack.addStackTag(PREVIEW_TAGS.stage, name);
    stack.addStackTag(PREVIEW_TAGS.expiry, expiresAt);
  }
}

/** Disables termination protection of the stacks that the context names. The other stacks keep their protection. */
function leaveUnprotected(app: App, stacks: readonly Stack[]): void {
  const named = String(app.node.tryGetContext(UNPROTECTED_STACKS) ?? '').split(',');
  for (const stack of stacks) if (named.includes(stack.stackName)) stack.terminationProtection = false;
}

/** If a setting is invalid, prints the error and the help of the settings, without a stack trace, and exits with 1. */
function exitIfSettingIsInvalid(app: App): void {
  try {
    stageIn(app);
  } catch (error) {
    process.stderr.write(`\n${error instanceof Error ? error.message : error}\n\n${settingsHelp()}\n\n`);
    process.exit(1);
  }
}

if (import.meta.main) {
  const app = new App();
  exitIfSettingIsInvalid(app);
  buildStacks(app, join(import.meta.dirname, '..', 'dist'));
  // Imported here, because the security rules are a large module, and tests that only build stacks must not load it.
  const { SecurityReview } = await import('./nag/review.ts');
  Validations.of(app).addPlugins(new SecurityReview());
}
