import { defineOperation, type Operation, type OperationSpec } from '../shared/http/operation.ts';
import type { Role } from '../shared/organizations/membership.ts';
import type { Grant } from './grants.ts';

type Tag = 'Funnel' | 'Training' | 'Analytics' | 'Landing pages' | 'Domains';

export type ServiceOperationSpec = OperationSpec<Role, Grant, Tag>;
export type ServiceOperation = Operation<ServiceOperationSpec>;

/** `defineOperation` with the roles, grants and tags of this service. */
export const operation: <const S extends ServiceOperationSpec>(id: string, spec: S) => Operation<S> = defineOperation;
