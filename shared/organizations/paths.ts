import * as z from 'zod/mini';
import { uuid } from '../http/schemas.ts';

export const OrganizationPath = z.object({ orgId: uuid });
