import { physicalName } from '../names.ts';
import { type Check, type Deployment, list, resourcesOf, type Stack } from '../template.ts';

/** A stack may depend on earlier stacks, never on later ones. */
const ORDER = ['data', 'streaming', 'lake', 'api', 'observability'];
const stackIndexOf = (name: string): number => ORDER.findIndex((kind) => name.endsWith(`-${kind}`));

type Reference =
  | { kind: 'here'; name: string }
  | { kind: 'condition'; name: string }
  | { kind: 'map'; name: string }
  | { kind: 'output'; stack: string; name: string }
  | { kind: 'import'; name: unknown };

/** Every intrinsic function in a value that references something. */
function referencesIn(value: unknown): Reference[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(value);
  const [only] = entries;
  const own = only !== undefined && entries.length === 1 ? intrinsic(only) : [];
  return [...own, ...entries.flatMap(([, one]) => referencesIn(one))];
}

function intrinsic([name, argument]: [string, unknown]): Reference[] {
  const first = String(list(argument)[0]);
  if (name === 'Ref') return first.startsWith('AWS::') ? [] : [{ kind: 'here', name: first }];
  if (name === 'Fn::GetAtt') return [{ kind: 'here', name: first.split('.')[0] ?? '' }];
  if (name === 'Fn::Sub') return substituted(first, list(argument)[1]);
  if (name === 'Fn::If') return [{ kind: 'condition', name: first }];
  if (name === 'Fn::FindInMap') return [{ kind: 'map', name: first }];
  if (name === 'Fn::ImportValue') return [{ kind: 'import', name: argument }];
  if (name !== 'Fn::GetStackOutput') return [];
  const { StackName, OutputName } = argument as { StackName: string; OutputName: string };
  return [{ kind: 'output', stack: StackName, name: OutputName }];
}

function substituted(text: string, given: unknown): Reference[] {
  const names = [...text.matchAll(/\$\{([^!}][^}]*)\}/g)].map(([, name = '']) => name.split('.')[0] ?? '');
  return names
    .filter((name) => !name.startsWith('AWS::') && !Object.hasOwn(Object(given), name))
    .map((name) => ({ kind: 'here', name }));
}

/** Every part of a template, with its references. */
const statements = ({ template }: Stack): [at: string, references: Reference[]][] => [
  ...Object.entries(template.Resources).map(
    ([id, { Properties, UpdatePolicy, DependsOn, Condition }]): [string, Reference[]] => [
      id,
      [
        ...referencesIn(Properties),
        // An alias waits for its deployment group, and so for the alarms of that group.
        ...referencesIn(UpdatePolicy),
        ...list(DependsOn).map((name): Reference => ({ kind: 'here', name: String(name) })),
        ...list(Condition).map((name): Reference => ({ kind: 'condition', name: String(name) })),
      ],
    ],
  ),
  ...Object.entries(template.Outputs ?? {}).map(([id, { Value }]): [string, Reference[]] => [id, referencesIn(Value)]),
];

const exportsOf = ({ stacks }: Deployment): unknown[] =>
  stacks.flatMap(({ template }) => Object.values(template.Outputs ?? {}).flatMap(({ Export }) => list(Export?.Name)));

export const referencesExist: Check = (deployment) =>
  deployment.stacks.flatMap((stack) => {
    const { Resources, Parameters = {}, Conditions = {}, Mappings = {} } = stack.template;
    const exists = (one: Reference): boolean => {
      if (one.kind === 'here') return Object.hasOwn(Resources, one.name) || Object.hasOwn(Parameters, one.name);
      if (one.kind === 'condition') return Object.hasOwn(Conditions, one.name);
      if (one.kind === 'map') return Object.hasOwn(Mappings, one.name);
      if (one.kind === 'import') return exportsOf(deployment).some((name) => same(name, one.name));
      const other = deployment.stacks.find(({ name }) => name === one.stack);
      return Object.hasOwn(other?.template.Outputs ?? {}, one.name);
    };
    return statements(stack).flatMap(([at, references]) =>
      references
        .filter((one) => !exists(one))
        .map((one) => `${stack.name}: ${at} names ${String(one.name)}, which is not there`),
    );
  });

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

export const stacksNeedOnlyEarlierOnes: Check = ({ stacks }) =>
  stacks.flatMap((stack) => {
    const read = statements(stack).flatMap(([, references]) =>
      references.flatMap((one) => (one.kind === 'output' ? [one.stack] : [])),
    );
    return [
      ...(stackIndexOf(stack.name) < 0 ? [`${stack.name} is not in the order of stacks`] : []),
      ...[...new Set([...read, ...stack.needs])]
        .filter((name) => stackIndexOf(name) >= stackIndexOf(stack.name))
        .map((name) => `${stack.name} needs ${name}, which comes later`),
      ...[...new Set(read)]
        .filter((name) => !needed(stacks, stack).has(name))
        .map((name) => `${stack.name} reads an output of ${name} and may be deployed before it`),
    ];
  });

function needed(stacks: readonly Stack[], { needs }: Stack): Set<string> {
  const further = stacks.filter(({ name }) => needs.includes(name)).flatMap((stack) => [...needed(stacks, stack)]);
  return new Set([...needs, ...further]);
}

/** CloudFormation rejects a template with circular dependencies. */
export const noResourceWaitsForItself: Check = ({ stacks }) =>
  stacks.flatMap((stack) => {
    const needs = new Map(
      statements(stack).map(([id, references]) => [
        id,
        references.flatMap((one) => (one.kind === 'here' && one.name !== id ? [one.name] : [])),
      ]),
    );
    const done = new Set<string>();
    const cycleFrom = (id: string, path: readonly string[]): string[] | undefined => {
      if (path.includes(id)) return [...path.slice(path.indexOf(id)), id];
      if (done.has(id)) return undefined;
      for (const next of needs.get(id) ?? []) {
        const cycle = cycleFrom(next, [...path, id]);
        if (cycle !== undefined) return cycle;
      }
      done.add(id);
      return undefined;
    };
    const cycle = [...needs.keys()].map((id) => cycleFrom(id, [])).find((one) => one !== undefined);
    return cycle === undefined ? [] : [`${stack.name}: ${cycle.join(' waits for ')}`];
  });

export const namesAreUnique: Check = (deployment) => {
  const exported = exportsOf(deployment).map((name) => JSON.stringify(name));
  // Commands find values by these names, independent of the stack.
  const outputs = deployment.stacks.flatMap(({ template }) =>
    Object.keys(template.Outputs ?? {}).filter((name) => !/^(?:ExportsOutput|PublishOutput)/.test(name)),
  );
  const physical = resourcesOf(deployment).flatMap((resource) => list(physicalName(resource)));
  return [exported, outputs, physical].flatMap((names) =>
    [...new Set(names.filter((name, at) => names.indexOf(name) !== at))].map((name) => `${name} is there twice`),
  );
};
