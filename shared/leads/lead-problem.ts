import * as z from 'zod/mini';
import { described, doc } from '../http/doc.ts';
import { Problem } from '../http/problem.ts';
import { ApiError } from '../http/schemas.ts';
import { FAULT_CODES } from './fields/verdict.ts';
import type { ValidationError } from './judge-data.ts';
import type { LeadHandle } from './lead-handle.ts';

/** The lead handle as callers see it. */
export const LeadHandleReply = z.object({ id: z.string(), update_token: z.string() });
export const handleReply = ({ id, updateToken }: LeadHandle) => ({ id, update_token: updateToken });

const FieldFault = z.object({
  field: described(z.string(), doc('The key in `data`.')),
  code: z.enum(FAULT_CODES),
  message: z.string(),
});

/** An error that leaves the caller its lead. */
export const LeadProblem = described(
  z.object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      validation_errors: z.nullable(z.array(FieldFault)),
    }),
    data: LeadHandleReply,
  }),
  doc('An ApiError with the lead handle and, with 422, the faults of each field.'),
);

/** Before the lead is known these are plain ApiErrors. */
export const MaybeLeadProblem = z.union([LeadProblem, ApiError]);

/** The problem with the lead's handle beside it. @param errors null: the fields are not what is wrong */
export function withHandle(problem: Problem, handle: LeadHandle, errors: ValidationError[] | null): Problem {
  const { status, message, code, headers, cause } = problem;
  const extension = { error: { validation_errors: errors }, body: { data: handleReply(handle) } };
  return new Problem(status, message, { code, headers, cause, extension });
}
