import type { Method, Operation } from '../../../shared/http/operation.ts';

/** What a path leads to: an operation per method, with the path's parameters. */
export type Resource = { template: string; operations: ReadonlyMap<string, Operation>; methods: readonly Method[] };

export type Match = { resource: Resource; parameters: Record<string, string> };

/**
 * The router of a REST API: whole segments, literal or one `{name}`; a literal beats a parameter. Parameters are
 * percent-decoded after the match, so that an encoded slash stays in its segment.
 *
 * @throws URIError for a malformed escape in a parameter
 */
export function createRouter(operations: readonly Operation[]): (path: string) => Match | undefined {
  const routes = resourcesOf(operations).map(routeTo);
  routes.sort((a, b) => a.parameters.length - b.parameters.length);
  return (path) => {
    const given = path.split('/');
    const found = routes.find(({ segments }) => matches(segments, given));
    if (found === undefined) return undefined;
    const values = found.parameters.map(({ name, at }) => [name, decodeURIComponent(given[at] ?? '')]);
    return { resource: found.resource, parameters: Object.fromEntries(values) };
  };
}

type Route = { resource: Resource; segments: string[]; parameters: { name: string; at: number }[] };

function routeTo(resource: Resource): Route {
  const segments = resource.template.split('/');
  const parameters = segments.flatMap((segment, at) =>
    isParameter(segment) ? { name: segment.slice(1, -1), at } : [],
  );
  return { resource, segments, parameters };
}

function resourcesOf(operations: readonly Operation[]): Resource[] {
  const byPath = Map.groupBy(operations, ({ path }) => path);
  return [...byPath].map(([template, declared]) => ({
    template,
    operations: new Map(declared.map((operation) => [operation.method, operation])),
    methods: declared.map(({ method }) => method),
  }));
}

const isParameter = (segment: string) => segment.startsWith('{');

const matches = (template: readonly string[], given: readonly string[]) =>
  template.length === given.length &&
  template.every((segment, index) => (isParameter(segment) ? given[index] !== '' : segment === given[index]));
