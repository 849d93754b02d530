import type { APIGatewayProxyResult } from 'aws-lambda';
import { type Operation, successStatus } from '../operation.ts';
import { internalError, Problem, type ProblemStatus } from '../problem.ts';
import { corsHeaders } from './cors.ts';
import type { Frame, StackRequest } from './frame.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import type { Stage } from './stage.ts';

type AnswerOptions = { corsOrigins: readonly string[]; validateReplies: boolean };

/** The last word: turns the handler's reply, or whatever was thrown, into the HTTP answer. */
export function answerStage(declared: Operation, options: AnswerOptions): Stage {
  const status = successStatus(declared);
  const schema = declared.replies[status];
  return {
    after: (request) => {
      const reply: unknown = request.response;
      if (options.validateReplies) schema?.parse(reply);
      request.response = jsonAnswer(declared, options.corsOrigins, request, { status, body: reply });
    },
    onError: (request) => {
      request.response = problemAnswer(declared, options.corsOrigins, request);
    },
  };
}

/** The answer to whatever was thrown. */
export function problemAnswer(declared: Operation, corsOrigins: readonly string[], request: StackRequest) {
  const problem = asProblem(request, declared);
  const { status, headers } = problem;
  return jsonAnswer(declared, corsOrigins, request, { status, headers, body: problemBody(problem) });
}

type Said = { status: number; body: unknown; headers?: Record<string, string> };

function jsonAnswer(
  declared: Operation,
  corsOrigins: readonly string[],
  { event }: StackRequest,
  { status, body, headers }: Said,
): APIGatewayProxyResult {
  return {
    statusCode: status,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      ...commonHeaders(declared, corsOrigins, event.frame),
      ...headers,
    },
    body: JSON.stringify(body),
  };
}

/** The headers of every answer. */
export const commonHeaders = (
  declared: Operation,
  corsOrigins: readonly string[],
  { requestId, headers, warnings }: Frame,
) => ({
  'Cache-Control': 'no-store',
  ...SECURITY_HEADERS,
  'x-request-id': requestId,
  ...(warnings.size > 0 && { 'x-warning': [...warnings].join(' ') }),
  ...corsHeaders(declared, headers.origin, corsOrigins),
});

/** Anything that is not a Problem, and a Problem that the declaration does not list, is our own fault. */
function asProblem({ error, event }: StackRequest, declared: Operation): Problem {
  const { log } = event.frame;
  const problem = error instanceof Problem && isPossible(declared, error.status) ? error : internalError();
  if (problem.status >= 500) {
    log.error('answered with a server error', error, { status: problem.status });
    // Lambda itself counts as errors only what is not answered.
    log.count('ServerErrors');
  }
  return problem;
}

const isPossible = ({ errors }: Operation, status: ProblemStatus): boolean =>
  errors.includes(status) || ALWAYS_POSSIBLE.has(status);

/** Decisions 2: these can be added to any operation's outcomes. */
const ALWAYS_POSSIBLE: ReadonlySet<number> = new Set([405, 413, 415, 429, 500, 503]);

function problemBody(problem: Problem): unknown {
  return {
    error: { code: problem.code, message: problem.message, ...problem.extension.error },
    ...problem.extension.body,
  };
}
