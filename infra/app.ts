import { join } from 'node:path';
import { App, CfnOutput, Validations } from 'aws-cdk-lib';
import { backgroundFunctions, operations } from '../functions/operations.ts';
import type { Operation } from '../shared/http/operation.ts';
import type { BackgroundFunction } from '../shared/platform/background.ts';
import { apiStack } from './api-stack.ts';
import { dataStack } from './data-stack.ts';
import { refuseWithoutLayer } from './duckdb-layer.ts';
import { lakeStack } from './lake-stack.ts';
import { ISSUER_OUTPUTS, OUTPUTS, outputName, STREAMING_OUTPUTS } from './outputs.ts';
import { stageOf } from './stages.ts';
import { streamingStack } from './streaming-stack.ts';

type Declared = { operations: readonly Operation[]; backgroundFunctions: readonly BackgroundFunction[] };

/** All stacks of the stage that the app's context names. @param dist the folder of built bundles and layers */
export function buildStacks(app: App, dist: string, declared: Declared = { operations, backgroundFunctions }) {
  const stage = stageOf((name) => app.node.tryGetContext(name), Object.keys(app.node.getAllContext()));
  const data = dataStack(app, stage);
  for (const [name, target] of Object.entries(OUTPUTS)) {
    new CfnOutput(data.stack, outputName(name), { value: data.resources[target].name });
  }
  for (const [name, part] of Object.entries(ISSUER_OUTPUTS)) {
    new CfnOutput(data.stack, outputName(name), { value: data.oidc[part] });
  }
  refuseWithoutLayer(data.stack, dist);
  const streaming = streamingStack(app, { stage, dist, resources: data.resources }, declared.backgroundFunctions);
  for (const [name, target] of Object.entries(STREAMING_OUTPUTS)) {
    new CfnOutput(streaming.stack, outputName(name), { value: streaming.deployment.resources[target].name });
  }
  const api = apiStack(app, streaming.deployment, data.oidc, declared.operations);
  const { resources } = streaming.deployment;
  const lake = lakeStack(app, stage, resources);
  // Firehose begins at the present: before it is there, no page may be told that an event is stored.
  api.addStackDependency(lake);
  return { data: data.stack, streaming: streaming.stack, lake, api, resources };
}

if (import.meta.main) {
  const app = new App();
  try {
    buildStacks(app, join(import.meta.dirname, '..', 'dist'));
  } catch (error) {
    // A wrong setting is the operator's matter: a sentence and what can be set, no stack of ours.
    if (!(error instanceof WrongSetting)) throw error;
    console.error(`\n${error.message}\n\n${settingsHelp()}\n`);
    process.exit(1);
  }
  // Loaded here alone: tests build the stacks many times, and the rules are a large module.
  const { SecurityReview } = await import('./review.ts');
  Validations.of(app).addPlugins(new SecurityReview());
}
