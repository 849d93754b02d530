/**
 * Returns the result of a conditional write to DynamoDB, or undefined if the condition failed. In that case, nothing
 * was written, unless the SDK repeated the write after a lost response (ADR 0004).
 */
export async function undefinedIfConditionFailed<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return undefined;
    throw error;
  }
}
