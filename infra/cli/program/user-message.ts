import { HttpError } from '../../../shared/http/errors.ts';
import { isTransientAwsError } from '../../../shared/platform/aws/transient-errors.ts';
import { UnavailableError } from '../../../shared/platform/unavailable.ts';
import { errorCode, UserError } from '../../common/user-error.ts';
import { printableLine } from '../terminal/printable.ts';

/** Use cases throw plain `Error`s with a sentence; errors of Node and of the SDK have a code or another name. */
const isSentence = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'Error' && errorCode(error) === undefined;

/** One sentence for the user; unexpected errors keep their own message. */
export function toUserMessage(error: unknown): string {
  if (error instanceof UserError || isSentence(error)) return printableLine(error.message);
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (isTransientAwsError(error) || error instanceof HttpError || error instanceof UnavailableError) {
    return `The data can not be reached right now: is what runs it still up? (${printableLine(message)})`;
  }
  const refused = error instanceof Error && REFUSALS.find(({ names }) => names.includes(error.name));
  if (refused) return `${refused.sentence} (${printableLine(message)})`;
  return `The command failed. ${printableLine(message)}`;
}

/** Errors of AWS services that the operator can fix. */
const REFUSALS: readonly { names: readonly string[]; sentence: string }[] = [
  {
    names: ['CredentialsProviderError'],
    sentence: 'There are no AWS credentials in the environment: AWS_PROFILE names those of a profile, for example.',
  },
  {
    names: [
      ...['ExpiredTokenException', 'ExpiredToken', 'UnrecognizedClientException', 'InvalidAccessKeyId'],
      ...['InvalidClientTokenId', 'InvalidSignatureException', 'SignatureDoesNotMatch'],
    ],
    sentence: 'AWS does not take these credentials: have they expired, or are they of another account?',
  },
  {
    names: ['AccessDeniedException', 'AccessDenied'],
    sentence: 'These AWS credentials may not do this: are they of the account that the stage is in?',
  },
  {
    names: ['ResourceNotFoundException', 'NoSuchBucket'],
    sentence: 'The data is not there: is AWS_REGION the one of the deployment, and are the credentials of its account?',
  },
];
