import * as z from 'zod/mini';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { synthesizeWithPlaceholders } from '../policies/synthesize-placeholders.ts';
import { parseStage, type Stage } from '../settings/stages.ts';

/** What a deployment will need, read from its templates. */
export type Plan = {
  /** The minimum version of CDK's bootstrap resources. The SSM parameter `parameter` contains the deployed version. */
  bootstrap: { parameter: string; versionMin: number };
  /** Reserved concurrency by function name. */
  reservations: ReadonlyMap<string, number>;
  writesAccessLogs: boolean;
  /** Names of log groups, by the name of their stack. */
  logGroups: ReadonlyMap<string, readonly string[]>;
};

const Resource = z.object({ Type: z.string(), Properties: z.optional(z.record(z.string(), z.unknown())) });
const Template = z.object({ Resources: z.record(z.string(), Resource) });

/**
 * Parses the stage that `npm run deploy` would deploy.
 *
 * @throws Error with a message for the operator
 */
export function stageOf(context: Readonly<Record<string, unknown>>, region: string | undefined): Stage {
  const all: Record<string, unknown> = { ...cdkJson.context, ...context };
  return parseStage((name) => all[name], Object.keys(all), region);
}

/** Takes seconds, because it synthesizes the templates. */
export function planOf(context: Readonly<Record<string, unknown>>): Plan {
  return synthesizeWithPlaceholders(context, (stacks) => {
    const resources = stacks.flatMap(({ stackName, template }) =>
      Object.values(Template.parse(template).Resources).map(({ Type, Properties = {} }) => ({
        stackName,
        type: Type,
        properties: Properties,
      })),
    );
    const ofType = (type: string) => resources.filter((resource) => resource.type === type);
    const reserved = ofType('AWS::Lambda::Function').flatMap(
      ({ properties: { FunctionName: name, ReservedConcurrentExecutions: count } }) =>
        typeof name === 'string' && typeof count === 'number' ? [[name, count] as const] : [],
    );
    const logGroups = ofType('AWS::Logs::LogGroup').flatMap(({ stackName, properties: { LogGroupName: name } }) =>
      typeof name === 'string' ? [{ stackName, name }] : [],
    );
    return {
      bootstrap: {
        parameter: stacks[0]?.bootstrapStackVersionSsmParameter ?? '',
        versionMin: Math.max(...stacks.map(({ requiresBootstrapStackVersion = 0 }) => requiresBootstrapStackVersion)),
      },
      reservations: new Map(reserved),
      writesAccessLogs: ofType('AWS::ApiGateway::Stage').some(({ properties }) => 'AccessLogSetting' in properties),
      logGroups: new Map(
        [...Map.groupBy(logGroups, ({ stackName }) => stackName)].map(([stackName, named]) => [
          stackName,
          named.map(({ name }) => name),
        ]),
      ),
    };
  });
}
