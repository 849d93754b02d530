import { HttpError } from '../../../shared/http/errors.ts';
import { isTransientAwsError } from '../../../shared/platform/aws/transient-errors.ts';
import { UnavailableError } from '../../../shared/platform/unavailable.ts';
import { errorCode, UserError } from '../../common/user-error.ts';
import { printableLine } from '../terminal/printable.ts';

/**
 * Whether the message of the error is a sentence for users. Use cases throw plain `Error`s with such messages. Errors
 * of Node and the SDK have a code, or a name other than `Error`.
 */
const isSentence = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'Error' && errorCode(error) === undefined;

/** Returns the message for the user. Unexpected errors are shown with their own message. */
export function toUserMessage(error: unknown): string {
  if (error instanceof UserError || isSentence(error)) return printableLine(error.message);
  if (error instanceof HttpError && error.status !== 503) return printableLine(error.message);
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (isTransientAwsError(error) || error instanceof HttpError || error instanceof UnavailableError) {
    return (
      'A required service is not available: check the network and, for the local environment, that "npm start" runs. ' +
      `Then try again. (${printableLine(message)})`
    );
  }
  const rejection = error instanceof Error && REJECTIONS.find(({ names }) => names.includes(error.name));
  if (rejection) return `${rejection.sentence} (${printableLine(message)})`;
  return `The command failed. ${printableLine(message)}`;
}

/** Errors of AWS services that the operator can fix. */
const REJECTIONS: readonly { names: readonly string[]; sentence: string }[] = [
  {
    names: ['CredentialsProviderError'],
    sentence: 'There are no AWS credentials in the environment: set AWS_PROFILE, for example.',
  },
  {
    names: [
      ...['ExpiredTokenException', 'ExpiredToken', 'UnrecognizedClientException', 'InvalidAccessKeyId'],
      ...['InvalidClientTokenId', 'InvalidSignatureException', 'SignatureDoesNotMatch'],
    ],
    sentence: 'AWS rejects these credentials: they may have expired or belong to another account. Set valid ones.',
  },
  {
    names: ['AccessDeniedException', 'AccessDenied'],
    sentence: 'These AWS credentials do not permit this command: check that they belong to the account of the stage.',
  },
  {
    names: ['ResourceNotFoundException', 'NoSuchBucket'],
    sentence: 'An AWS resource does not exist: check that AWS_REGION and the account are those of the deployment.',
  },
];
