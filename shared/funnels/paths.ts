import * as z from 'zod/mini';
import { uuid } from '../http/schemas.ts';

export const FunnelPath = z.object({ id: uuid });
export const OrganizationFunnelPath = z.object({ orgId: uuid, funnelId: uuid });
