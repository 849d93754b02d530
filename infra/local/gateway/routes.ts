import { type Method, type Operation, pathsOf } from '../../../shared/http/operation.ts';

/** The properties of an operation that the gateway uses: plain data, which `npm run dev` reads from a worker thread. */
export type Route = Pick<
  Operation,
  'id' | 'method' | 'path' | 'alternativePath' | 'auth' | 'limits' | 'streamContentTypes'
>;

/** The operations of a path template, by method. */
export type Resource = { template: string; operations: ReadonlyMap<string, Route>; methods: readonly Method[] };

export type Match = { resource: Resource; parameters: Record<string, string> };

/**
 * Creates the router of a REST API. Each segment of a path template is a literal or one parameter `{name}`. If several
 * templates match, the one with the fewest parameters is chosen. Parameters are percent-decoded after matching, so that
 * an encoded slash stays in its segment. If no template matches, the router returns undefined. If a parameter has a
 * malformed escape sequence, the router throws a URIError.
 */
export function createRouter(operations: readonly Route[]): (path: string) => Match | undefined {
  const templates = groupByPath(operations).map(toTemplate);
  templates.sort((a, b) => a.parameters.length - b.parameters.length);
  return (path) => {
    const pathSegments = path.split('/');
    const template = templates.find(({ segments }) => matches(segments, pathSegments));
    if (template === undefined) return undefined;
    const values = template.parameters.map(({ name, index }) => [name, decodeURIComponent(pathSegments[index] ?? '')]);
    return { resource: template.resource, parameters: Object.fromEntries(values) };
  };
}

type PathTemplate = { resource: Resource; segments: string[]; parameters: { name: string; index: number }[] };

function toTemplate(resource: Resource): PathTemplate {
  const segments = resource.template.split('/');
  const parameters = segments.flatMap((segment, index) =>
    isParameter(segment) ? { name: segment.slice(1, -1), index } : [],
  );
  return { resource, segments, parameters };
}

function groupByPath(operations: readonly Route[]): Resource[] {
  const served = operations.flatMap((operation) => pathsOf(operation).map((path) => ({ path, operation })));
  const byPath = Map.groupBy(served, ({ path }) => path);
  return [...byPath].map(([template, found]) => ({
    template,
    operations: new Map(found.map(({ operation }) => [operation.method, operation])),
    methods: found.map(({ operation }) => operation.method),
  }));
}

const isParameter = (segment: string) => segment.startsWith('{');

const matches = (template: readonly string[], path: readonly string[]) =>
  template.length === path.length &&
  template.every((segment, index) => (isParameter(segment) ? path[index] !== '' : segment === path[index]));
