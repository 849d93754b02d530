import * as z from 'zod/mini';

export type Json = Record<string, unknown>;

const DEFINITIONS = '#/$defs/';
const COMPONENTS = '#/components/schemas/';

/** The schemas of one document. Each named schema appears once, under `components/schemas`. */
export class SchemaComponents {
  readonly #byName = new Map<string, Json>();

  /**
   * Converts a zod schema to JSON Schema (2020-12), the format of schemas in OpenAPI 3.1. If the zod schema transforms
   * values, the result describes them before the transformation (`input`) or after it (`output`).
   */
  of(schema: z.ZodMiniType, io: 'input' | 'output'): Json {
    const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
    return this.#hoist(rest) as Json;
  }

  /**
   * Returns the JSON Schema of a body. If the body is an object and its schema has no name, adds the schema to the
   * components under `name`, and returns a reference to this component.
   */
  named(name: string, schema: z.ZodMiniType, io: 'input' | 'output'): Json {
    const described = this.of(schema, io);
    if (described.type !== 'object') return described;
    this.#add(name, described);
    return { $ref: `${COMPONENTS}${name}` };
  }

  all(): Json {
    return Object.fromEntries([...this.#byName].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #hoist(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#hoist(item));
    if (typeof value !== 'object' || value === null) return value;
    const { $defs = {}, ...rest } = withDefaultInWords(value as Json);
    for (const [name, schema] of Object.entries($defs as Json)) this.#add(name, this.#hoist(schema) as Json);
    const entries = Object.entries(rest).map(([key, child]) => [
      key,
      key === '$ref' && typeof child === 'string' ? child.replace(DEFINITIONS, COMPONENTS) : this.#hoist(child),
    ]);
    return Object.fromEntries(entries);
  }

  /** @throws Error if two different schemas have the same name, for example input and output of a transformed schema */
  #add(name: string, schema: Json): void {
    const known = this.#byName.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`Two different schemas of the OpenAPI document are named ${name}. Give one of them another id.`);
    }
    this.#byName.set(name, schema);
  }
}

/**
 * Moves the default of a property to its description. If the property kept its `default`, generated clients would
 * require the property in requests. A default that is null, an object or an array is not moved.
 */
function withDefaultInWords(schema: Json): Json {
  const { default: value, description, ...rest } = schema;
  if (value === undefined || typeof value === 'object') return schema;
  return { ...rest, description: [description, `Default: \`${value}\`.`].filter(Boolean).join(' ') };
}
