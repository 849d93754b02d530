import { createOperation, type Operation, type OperationDeclaration } from '../shared/http/operation.ts';
import type { Role } from '../shared/organizations/membership.ts';
import type { Grant } from './grants.ts';

type Tag = 'Funnel' | 'Training' | 'Analytics' | 'Landing pages' | 'Domains' | 'Webhooks' | 'Notifications';

export type ServiceOperationDeclaration = OperationDeclaration<Role, Grant, Tag>;
export type ServiceOperation = Operation<ServiceOperationDeclaration>;

/** The function `createOperation`, restricted to the types of this service: its roles, grants and tags. */
export const declareOperation: <const D extends ServiceOperationDeclaration>(
  id: string,
  declaration: D,
) => Operation<D> = createOperation;
