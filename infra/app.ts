import { join } from 'node:path';
import { App, CfnOutput, type Stack, Validations } from 'aws-cdk-lib';
import { backgroundFunctions, operations } from '../functions/declarations.ts';
import type { BackgroundFunction } from '../functions/declare-background-function.ts';
import type { ServiceOperation } from '../functions/declare-operation.ts';
import { requireLayer } from './functions/duckdb-layer.ts';
import { UNPROTECTED_STACKS } from './names.ts';
import { ISSUER_OUTPUTS, OUTPUTS, outputName, STREAMING_OUTPUTS } from './outputs.ts';
import { settingsHelp } from './settings/settings.ts';
import { parseStage } from './settings/stages.ts';
import { warnAboutAlarmRecipient } from './settings/watch-settings.ts';
import { apiStack } from './stacks/api/api-stack.ts';
import { dataStack } from './stacks/data/data-stack.ts';
import { watchSpending } from './stacks/data/spending.ts';
import { lakeStack } from './stacks/lake/lake-stack.ts';
import { observabilityStack } from './stacks/observability/observability-stack.ts';
import { streamingStack } from './stacks/streaming/streaming-stack.ts';

type Declared = { operations: readonly ServiceOperation[]; backgroundFunctions: readonly BackgroundFunction[] };

/** The CDK CLI names the region that it deploys to. */
const stageIn = ({ node }: App) =>
  parseStage((name) => node.tryGetContext(name), Object.keys(node.getAllContext()), process.env.CDK_DEFAULT_REGION);

/** All stacks of the stage that the app's context names. @param dist the folder of built bundles and layers */
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
  // Firehose starts at the latest record, so it must exist before the API acknowledges an event.
  api.addStackDependency(lake);
  const observability = observabilityStack(app, stage, resources);
  // It references resources of the other stacks by name.
  observability.addStackDependency(api);
  leaveUnprotected(app, [data.stack, streaming.stack, lake, api, observability]);
  return { data: data.stack, streaming: streaming.stack, lake, api, observability, resources };
}

/** Termination protection is the default of a stage that keeps data, so that a plain `cdk deploy` never removes it. */
function leaveUnprotected(app: App, stacks: readonly Stack[]): void {
  const named = String(app.node.tryGetContext(UNPROTECTED_STACKS) ?? '').split(',');
  for (const stack of stacks) if (named.includes(stack.stackName)) stack.terminationProtection = false;
}

/** Prints an invalid setting and the help instead of a stack trace. */
function sayWhatIsWrong(app: App): void {
  try {
    stageIn(app);
  } catch (error) {
    process.stderr.write(`\n${error instanceof Error ? error.message : error}\n\n${settingsHelp()}\n\n`);
    process.exit(1);
  }
}

if (import.meta.main) {
  const app = new App();
  sayWhatIsWrong(app);
  buildStacks(app, join(import.meta.dirname, '..', 'dist'));
  // Imported only here, because tests build the stacks many times and the rules are a large module.
  const { SecurityReview } = await import('./nag/review.ts');
  Validations.of(app).addPlugins(new SecurityReview());
}
