import { backgroundFunctions, operations } from '../../../functions/declarations.ts';
import type { BackgroundFunction } from '../../../functions/declare-background-function.ts';
import { buildOpenApiDocument } from '../../openapi/document.ts';
import type { Route } from '../gateway/routes.ts';

/** What the functions declare, as plain data that a thread can send to another thread. */
export type Declarations = {
  operations: readonly (Route & { grants: readonly string[] })[];
  backgroundFunctions: readonly BackgroundFunction[];
  /** The OpenAPI document, as JSON. */
  openapi: string;
};

/** Reads the declarations. `npm run dev` bundles this module, to read changed declarations without a restart. */
export const readDeclarations = (): Declarations => ({
  operations: operations.map(({ id, method, path, alternativePath, auth, limits, grants, streamContentTypes }) => ({
    id,
    method,
    path,
    ...(alternativePath === undefined ? {} : { alternativePath }),
    auth,
    limits,
    grants,
    ...(streamContentTypes === undefined ? {} : { streamContentTypes }),
  })),
  backgroundFunctions,
  openapi: JSON.stringify(buildOpenApiDocument(operations)),
});
