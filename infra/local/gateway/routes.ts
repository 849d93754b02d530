import type { Method, Operation } from '../../../shared/http/operation.ts';

/** The operations of a path template, by method. */
export type Resource = { template: string; operations: ReadonlyMap<string, Operation>; methods: readonly Method[] };

export type Match = { resource: Resource; parameters: Record<string, string> };

/**
 * Creates the router of a REST API. Each segment of a path template is a literal or one parameter `{name}`. If several
 * templates match, the one with the fewest parameters is chosen. Parameters are percent-decoded after matching, so that
 * an encoded slash stays in its segment. The router throws a URIError for a malformed escape sequence in a parameter.
 */
export function createRouter(operations: readonly Operation[]): (path: string) => Match | undefined {
  const routes = groupByPath(operations).map(toRoute);
  routes.sort((a, b) => a.parameters.length - b.parameters.length);
  return (path) => {
    const pathSegments = path.split('/');
    const route = routes.find(({ segments }) => matches(segments, pathSegments));
    if (route === undefined) return undefined;
    const values = route.parameters.map(({ name, index }) => [name, decodeURIComponent(pathSegments[index] ?? '')]);
    return { resource: route.resource, parameters: Object.fromEntries(values) };
  };
}

type Route = { resource: Resource; segments: string[]; parameters: { name: string; index: number }[] };

function toRoute(resource: Resource): Route {
  const segments = resource.template.split('/');
  const parameters = segments.flatMap((segment, index) =>
    isParameter(segment) ? { name: segment.slice(1, -1), index } : [],
  );
  return { resource, segments, parameters };
}

function groupByPath(operations: readonly Operation[]): Resource[] {
  const byPath = Map.groupBy(operations, ({ path }) => path);
  return [...byPath].map(([template, declared]) => ({
    template,
    operations: new Map(declared.map((operation) => [operation.method, operation])),
    methods: declared.map(({ method }) => method),
  }));
}

const isParameter = (segment: string) => segment.startsWith('{');

const matches = (template: readonly string[], path: readonly string[]) =>
  template.length === path.length &&
  template.every((segment, index) => (isParameter(segment) ? path[index] !== '' : segment === path[index]));
