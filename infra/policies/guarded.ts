import type { Verdict } from './judge.ts';
import type { Refusal } from './refusal.ts';
import type { AwsRequest } from './requests/aws-request.ts';

/** What the hooks in the ways to the network ask. */
export type Guarded = {
  running(): string | undefined;
  verdictOn(
    id: string,
    request: AwsRequest,
    tagsOf: (arn: string) => Promise<Readonly<Record<string, string>>>,
  ): Verdict | Promise<Verdict>;
  heardMissing(id: string, request: AwsRequest): void;
  /** Tells of the refusal, and gives the answer. */
  refusalOf(request: AwsRequest, sentence: string): Refusal;
};

/** The same for ways that can't be judged: a function that takes one fails. */
export type Unjudged = {
  running(): string | undefined;
  /** Tells of it. @throws Error, which the function may well catch */
  refuse(sentence: string): never;
};
