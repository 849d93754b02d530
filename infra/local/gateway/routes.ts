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
export function router(operations: readonly Operation[]): (path: string) => Match | undefined {
  const resources = resourcesOf(operations).map((resource) => ({
    resource,
    segments: resource.template.split('/'),
  }));
  const parameterCount = (segments: string[]) => segments.filter(isParameter).length;
  resources.sort((a, b) => parameterCount(a.segments) - parameterCount(b.segments));
  return (path) => {
    const given = path.split('/');
    const found = resources.find(({ segments }) => matches(segments, given));
    return found && { resource: found.resource, parameters: parametersOf(found.segments, given) };
  };
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

function parametersOf(template: readonly string[], given: readonly string[]): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const [index, segment] of template.entries()) {
    if (isParameter(segment)) parameters[segment.slice(1, -1)] = decodeURIComponent(given[index] ?? '');
  }
  return parameters;
}
