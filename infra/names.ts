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
