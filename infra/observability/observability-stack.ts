import { CfnOutput, Stack } from 'aws-cdk-lib';
import { Dashboard, PeriodOverride } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { Resources } from '../functions/grant-policies.ts';
import { serviceName } from '../names.ts';
import type { Stage } from '../settings/stages.ts';
import { raisesAlarms } from './alarm-topic.ts';
import { numberAlarms, workAlarms } from './background-alarms.ts';
import { DASHBOARDS } from './dashboards.ts';
import { saveQueries } from './request-queries.ts';
import { callAlarms, costAlarms, leadAlarms, pageAlarms } from './service-alarms.ts';
import { watchedIn } from './watched.ts';

/**
 * What people look at, and what wakes them. It knows the other stacks by names, so that none is held back by it; the alarms
 * that take a new version back stand beside their functions.
 */
export function observabilityStack(scope: Construct, stage: Stage, resources: Resources): Stack {
  const stack = new Stack(scope, `${serviceName(stage)}-observability`, { terminationProtection: stage.keepsData });
  const watched = watchedIn(stage, resources);
  for (const { id, question, widgets } of DASHBOARDS) {
    const dashboard = new Dashboard(stack, `Dashboard-${id}`, {
      dashboardName: `${serviceName(stage)}-${id}`,
      // Else a long range would sum other periods than a graph says.
      periodOverride: PeriodOverride.INHERIT,
    });
    dashboard.addWidgets(...widgets(stage, watched));
    new CfnOutput(stack, `Question-${id}`, { value: dashboard.dashboardName, description: question });
  }
  saveQueries(stack, stage);
  if (!raisesAlarms(stage)) return stack;
  for (const alarms of [pageAlarms, leadAlarms, callAlarms, numberAlarms, workAlarms, costAlarms])
    alarms({ stack, stage, watched });
  return stack;
}
