import { CfnOutput, Stack } from 'aws-cdk-lib';
import { Dashboard, PeriodOverride } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { GrantResources } from '../../functions/grant-policies.ts';
import { serviceName } from '../../names.ts';
import type { Stage } from '../../settings/stages.ts';
import { hasAlarms } from './alarm-topic.ts';
import { numberAlarms, workAlarms } from './background-alarms.ts';
import { DASHBOARDS } from './dashboards.ts';
import { monitoredResources } from './monitored-resources.ts';
import { saveQueries } from './saved-queries.ts';
import { callAlarms, costAlarms, leadAlarms, pageAlarms } from './service-alarms.ts';

/**
 * Creates dashboards, alarms and saved queries. They reference resources of other stacks by name, so that this stack
 * blocks no deployment of another stack. Alarms that roll back a deployment are in the stack of their function,
 * and alarms on Firehose are in the stack `lake`.
 */
export function observabilityStack(scope: Construct, stage: Stage, resources: GrantResources): Stack {
  const stack = new Stack(scope, `${serviceName(stage)}-observability`, { terminationProtection: stage.keepsData });
  const monitored = monitoredResources(stage, resources);
  for (const { id, question, widgets } of stage.isMonitored ? DASHBOARDS : []) {
    const dashboard = new Dashboard(stack, `Dashboard-${id}`, {
      dashboardName: `${serviceName(stage)}-${id}`,
      // By default, graphs of a long time range use longer periods than they state. INHERIT keeps the stated periods.
      periodOverride: PeriodOverride.INHERIT,
    });
    dashboard.addWidgets(...widgets(stage, monitored));
    new CfnOutput(stack, `Question-${id}`, { value: dashboard.dashboardName, description: question });
  }
  saveQueries(stack, stage);
  if (!hasAlarms(stage)) return stack;
  for (const alarms of [pageAlarms, leadAlarms, callAlarms, numberAlarms, workAlarms, costAlarms])
    alarms({ stack, stage, monitored });
  return stack;
}
