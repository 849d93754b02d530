/*
 * Resource names that are known before the resources exist. Alarms, saved queries and runbooks use them, so that no
 * stack needs an export for monitoring. CloudFormation rejects changes of an exported value that another stack imports.
 */

type Named = { name: string };

/** Name of the service in a stage. It is the dimension `service` of custom metrics and part of the names below. */
export const serviceName = (stage: Named): string => `tributary-${stage.name}`;

/** @param id id of an operation or a background function, for example `funnel/submit` */
export const functionName = (stage: Named, id: string): string => `${serviceName(stage)}-${id.replace('/', '-')}`;

/** Lambda's default name of a function's log group. */
export const logGroupName = (stage: Named, id: string): string => `/aws/lambda/${functionName(stage, id)}`;

export const accessLogGroupName = (stage: Named): string => `/aws/apigateway/${serviceName(stage)}`;

/** Name of the Firehose stream that writes events to the lake. */
export const deliveryName = (stage: Named): string => `${serviceName(stage)}-events`;

/** Contains no hyphens, because Athena requires quotation marks around a database name with hyphens. */
export const lakeDatabaseName = (stage: Named): string => serviceName(stage).replaceAll('-', '_');

/** @param id construct id of the queue, for example `MissedRuns` */
export const queueName = (stage: Named, id: string): string =>
  `${serviceName(stage)}${id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The stacks of a stage, in the order in which they are deployed. */
export const STACKS = ['data', 'streaming', 'lake', 'api', 'admin', 'observability', 'web'] as const;

export const stackName = (stage: Named, stack: (typeof STACKS)[number]): string => `${serviceName(stage)}-${stack}`;

/** Tags of all stacks of a preview: the name of the stage, and when the stage expires (ISO 8601). */
export const PREVIEW_TAGS = { stage: 'preview', expiry: 'expires' } as const;

/**
 * Key of the CDK context. The value lists the stacks without termination protection, separated by commas. A stack gets
 * the protection after its first deployment has succeeded. Before that, a retry must be able to delete the stack.
 */
export const UNPROTECTED_STACKS = 'tributary:unprotected-stacks';

/** Name of the file that `npm run deploy` writes and that commands with `--stage` read. */
export const outputsFileName = (stage: string): string => `cdk-outputs.${stage}.json`;
