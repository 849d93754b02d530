/**
 * Names that are known before what they name is there: alarms, saved queries and runbooks use them, so that no stack has
 * to export anything for being watched, which would keep it from being changed.
 */
type Named = { name: string };

/** Stands on every metric of the service as a dimension, and before every name. */
export const serviceName = (stage: Named): string => `tributary-${stage.name}`;

/** @param id of an operation or a background function, for example `funnel/submit` */
export const functionName = (stage: Named, id: string): string => `${serviceName(stage)}-${id.replace('/', '-')}`;

/** Where Lambda itself would write to, and where operators look. */
export const logGroupName = (stage: Named, id: string): string => `/aws/lambda/${functionName(stage, id)}`;

export const accessLogGroupName = (stage: Named): string => `/aws/apigateway/${serviceName(stage)}`;

/** Of the delivery of events into the lake's files. */
export const deliveryName = (stage: Named): string => `${serviceName(stage)}-events`;

/** @param id of the queue's construct, for example `MissedRuns` */
export const queueName = (stage: Named, id: string): string =>
  `${serviceName(stage)}${id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Every stack of a stage, in the order of their deployment. */
export const STACKS = ['data', 'streaming', 'lake', 'api', 'observability'] as const;

export const stackName = (stage: Named, stack: (typeof STACKS)[number]): string => `${serviceName(stage)}-${stack}`;

/**
 * The CDK context that names stacks to leave without termination protection, separated by commas. `npm run deploy` sets it
 * for a stack until its first deployment has succeeded.
 */
export const UNPROTECTED_STACKS = 'tributary:unprotected-stacks';

/** What `npm run deploy` writes of a stage, and what commands with `--stage` read. */
export const outputsFileName = (stage: string): string => `cdk-outputs.${stage}.json`;
