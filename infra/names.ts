/**
 * Resource names that are known before the resource exists. Alarms, saved queries and runbooks use them, so that no
 * stack needs an export for monitoring: an exported value cannot be changed.
 */
type Named = { name: string };

/** Dimension `service` of every metric, and prefix of every name. */
export const serviceName = (stage: Named): string => `tributary-${stage.name}`;

/** @param id id of an operation or a background function, for example `funnel/submit` */
export const functionName = (stage: Named, id: string): string => `${serviceName(stage)}-${id.replace('/', '-')}`;

/** The default name that Lambda itself would use. */
export const logGroupName = (stage: Named, id: string): string => `/aws/lambda/${functionName(stage, id)}`;

export const accessLogGroupName = (stage: Named): string => `/aws/apigateway/${serviceName(stage)}`;

/** Name of the delivery stream that writes events to the lake. */
export const deliveryName = (stage: Named): string => `${serviceName(stage)}-events`;

/** @param id construct id of the queue, for example `MissedRuns` */
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

/** Name of the file that `npm run deploy` writes and that commands with `--stage` read. */
export const outputsFileName = (stage: string): string => `cdk-outputs.${stage}.json`;
