import { backgroundFunctions, operations } from '../../../../../functions/declarations.ts';
import { toPascalCase } from '../../../../../infra/functions/lambda-function.ts';
import { GATEWAY_LIMITS } from '../../../../../infra/stacks/api/gateway-responses.ts';
import { type Check, type Deployment, each, type Found, list, resourcesOf } from '../template.ts';

/** CDK appends eight hexadecimal digits of a hash to a construct's name. */
const constructOf = ({ id }: Found): string => id.slice(0, -8);

const functionsOf = (deployment: Deployment): Found[] => resourcesOf(deployment, 'AWS::Lambda::Function');

const DECLARED = new Map(
  [...operations, ...backgroundFunctions].map((declared) => [toPascalCase(declared.id), declared] as const),
);
/** A streaming response lasts as long as the function runs; for others the gateway's timeout is 29 s. */
const STREAMING = new Set(
  operations.filter(({ streamContentTypes: streams }) => streams !== undefined).map(({ id }) => toPascalCase(id)),
);
const ANSWERING = new Set(operations.map(({ id }) => toPascalCase(id)));

export const functionsAreAsDeclared: Check = (deployment) => {
  const functions = functionsOf(deployment);
  const deployed = functions.map(constructOf);
  return [
    ...[...DECLARED.keys()]
      .filter((name) => !deployed.includes(name))
      .map((name) => `${name} is declared and not deployed`),
    ...each(functions, {
      'is declared': (one) => DECLARED.has(constructOf(one)),
      'runs on Node 24': ({ Properties }) => Properties.Runtime === 'nodejs24.x',
      'runs on arm64': ({ Properties }) => list(Properties.Architectures).join() === 'arm64',
      'is traced': ({ Properties }) => Properties.TracingConfig?.Mode === 'Active',
      'has the memory that it declares': (one) =>
        one.Properties.MemorySize === DECLARED.get(constructOf(one))?.limits.memoryMb,
      'has the time that it declares': (one) =>
        one.Properties.Timeout === DECLARED.get(constructOf(one))?.limits.timeoutSeconds,
      'ends before the gateway leaves it': (one) =>
        !ANSWERING.has(constructOf(one)) ||
        STREAMING.has(constructOf(one)) ||
        one.Properties.Timeout <= GATEWAY_LIMITS.integrationSeconds,
    }),
  ];
};

/** Without a declared log group, Lambda creates one without a retention period. */
export const functionsHaveLogsAndRolesOfTheirOwn: Check = (deployment) => {
  const functions = functionsOf(deployment);
  const logOf = ({ Properties }: Found) => Properties.LoggingConfig?.LogGroup?.Ref;
  const roleOf = ({ Properties }: Found) => list(Properties.Role?.['Fn::GetAtt'])[0];
  const isThere = (one: Found, id: unknown, type: string) =>
    typeof id === 'string' && one.stack.template.Resources[id]?.Type === type;
  const isOwn = (one: Found, of: (other: Found) => unknown) =>
    functions.filter((other) => other.stack === one.stack && of(other) === of(one)).length === 1;
  return each(functions, {
    'writes to a log group of this stack': (one) => isThere(one, logOf(one), 'AWS::Logs::LogGroup'),
    'shares its log with no other': (one) => isOwn(one, logOf),
    'has a role of this stack': (one) => isThere(one, roleOf(one), 'AWS::IAM::Role'),
    'shares its role with no other': (one) => isOwn(one, roleOf),
  });
};

/** Failures of functions without a caller must be kept, including invocations that could not be started. */
export const failuresAreKept: Check = (deployment) => {
  const configured = resourcesOf(deployment, 'AWS::Lambda::EventInvokeConfig');
  const waitedFor = new Set([...ANSWERING, ...CONSUMERS]);
  return [
    ...each(
      functionsOf(deployment).filter((one) => !waitedFor.has(constructOf(one))),
      {
        'says what becomes of its failures': (one) =>
          configured.some(
            ({ stack, Properties }) =>
              stack === one.stack && JSON.stringify(Properties.FunctionName).includes(`"${one.id}"`),
          ),
      },
    ),
    ...each(configured, {
      'has somewhere to put failures': ({ Properties }) =>
        Properties.DestinationConfig?.OnFailure?.Destination !== undefined,
    }),
    ...each(resourcesOf(deployment, 'AWS::Events::Rule'), {
      'keeps runs that could not begin': ({ Properties }) =>
        list(Properties.Targets).every(
          (target) => (target as { DeadLetterConfig?: unknown }).DeadLetterConfig !== undefined,
        ),
    }),
  ];
};
const CONSUMERS = backgroundFunctions.filter(({ trigger }) => 'stream' in trigger).map(({ id }) => toPascalCase(id));
