import * as z from 'zod/mini';
import { uuid } from '../http/schemas.ts';

export const OrganizationPath = z.object({ orgId: uuid });
export const OrganizationFunnelPath = z.object({ orgId: uuid, funnelId: uuid });
