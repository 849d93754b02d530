import type { Stack } from './template.ts';

/** Properties that the description omits: CDK's metadata, and texts that other tests check. */
const OMITTED =
  /^(?:Description|AlarmDescription|DashboardBody|QueryString|RequestTemplates|ResponseTemplates|Metadata)$/;

/** Parts of names, with their replacements. The parts change with the stage, the code or the methods of the API. */
const UNSTABLE: readonly [RegExp, string][] = [
  [/(CurrentVersion|ApiDeployment)[0-9A-F]{8}[0-9a-f]{32}/g, '$1'],
  [/(ApiDeploymentStage)(?:dev|prod)[0-9A-F]{8}/g, '$1'],
  [/tributary(?:dev|prod)api\w+/g, ''],
  [/\b[0-9a-f]{64}(?=\.zip)/g, 'asset'],
];

const LINE_LENGTH = 120;

/** A stack as text: a head, and a block for each resource. References have the form `${Id.Attribute}`. */
type Description = { head: string; blocks: string[] };

function describeStack({ name, isProtected, needs, template }: Stack): Description {
  const { Resources, Outputs, Parameters: _, ...others } = template;
  const head = `${name}: ${isProtected ? 'protected' : 'not protected'}, deployed after ${needs.toSorted().join(', ')}`;
  const blocks = [
    ...Object.entries({ Outputs, ...others }).map(([section, value]) => [section, ...linesOf(value, 1)].join('\n')),
    ...Object.entries(Resources)
      .map(([id, { Type, Properties, ...attributes }]) =>
        [`${id}: ${Type}`, ...linesOf(attributes, 1), ...linesOf(Properties, 1)].join('\n'),
      )
      .sort(),
  ];
  const stable = (text: string) => UNSTABLE.reduce((sum, [pattern, other]) => sum.replaceAll(pattern, other), text);
  return { head, blocks: blocks.map(stable) };
}

export function describeProd(stack: Stack): string {
  const { head, blocks } = describeStack(stack);
  return `${[head, ...blocks].join('\n\n')}\n`;
}

/** Describes how a stack of dev differs from the same stack of prod. */
export function describeDev(dev: Stack, prod: Stack): string {
  const { head, blocks } = describeStack(dev);
  const inDev = byTitle(blocks.map((block) => block.replaceAll(/\btributary([-_])dev\b/g, 'tributary$1prod')));
  const inProd = byTitle(describeStack(prod).blocks);
  const missing = [...inProd.keys()].filter((title) => !inDev.has(title));
  const changed = [...inDev].flatMap(([title, lines]) => {
    const prodLines = inProd.get(title) ?? [];
    const difference = [
      ...prodLines.filter((line) => !lines.includes(line)).map((line) => `-${line}`),
      ...lines.filter((line) => !prodLines.includes(line)).map((line) => `+${line}`),
    ];
    return difference.length === 0 ? [] : [[title, ...difference].join('\n')];
  });
  return `${[head, ['Only in prod:', ...missing].join('\n'), 'Differences from prod:', ...changed].join('\n\n')}\n`;
}

const byTitle = (blocks: readonly string[]): Map<string, string[]> =>
  new Map(
    blocks.map((block) => {
      const [title = '', ...lines] = block.split('\n');
      return [title, lines];
    }),
  );

function linesOf(value: unknown, depth: number): string[] {
  const indent = '  '.repeat(depth);
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const text = inline(item);
      if (text !== undefined) return [`${indent}- ${text}`];
      const [first = '', ...rest] = linesOf(item, depth + 1);
      return [`${indent}- ${first.trimStart()}`, ...rest];
    });
  }
  return propertiesOf(value).flatMap(([name, item]) => {
    const text = inline(item);
    return text === undefined ? [`${indent}${name}:`, ...linesOf(item, depth + 1)] : [`${indent}${name}: ${text}`];
  });
}

const propertiesOf = (value: unknown): [string, unknown][] =>
  Object.entries(Object(value))
    .filter(([name, item]) => !OMITTED.test(name) && item !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));

/** Formats a value on one line, with references as text. Returns undefined if the value needs several lines. */
function inline(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return String(value);
  const reference = referenceIn(value);
  if (reference !== undefined) return reference;
  const items = Array.isArray(value)
    ? value.map(inline)
    : propertiesOf(value).map(([name, item]) => {
        const text = inline(item);
        return text === undefined ? undefined : `${name}: ${text}`;
      });
  const text = items.join(', ');
  if (items.includes(undefined) || text.length > LINE_LENGTH) return undefined;
  return Array.isArray(value) ? `[${text}]` : `{${text}}`;
}

function referenceIn(value: object): string | undefined {
  const [[name, argument] = [], another] = Object.entries(value);
  if (another !== undefined) return undefined;
  if (name === 'Ref') return `\${${argument}}`;
  if (name === 'Fn::GetAtt') return `\${${argument.join('.')}}`;
  if (name === 'Fn::GetStackOutput') return `\${${argument.StackName}.${argument.OutputName}}`;
  if (name === 'Fn::Sub' && typeof argument === 'string') return argument;
  return name === 'Fn::Join' ? argument[1].map(inline).join(argument[0]) : undefined;
}
